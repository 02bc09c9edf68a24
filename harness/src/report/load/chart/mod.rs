//! Line charts as SVG: pure functions from points to text, without scripts. The style sheet of the page sets the colours.

mod axis;

use std::fmt::Write;

use crate::base::text::markup_escaped;

use axis::Scale;
pub(crate) use axis::{Across, Up};

/// The size of the drawing in its own units.
pub(crate) const WIDTH: f64 = 760.0;
pub(crate) const HEIGHT: f64 = 260.0;
/// Where the lines are drawn, within the drawing.
const LEFT: f64 = 76.0;
const RIGHT: f64 = WIDTH - 16.0;
const TOP: f64 = 34.0;
const BOTTOM: f64 = HEIGHT - 44.0;
/// The most points of a line. Of a longer one, the highest and the lowest point of each interval are kept.
const MAX_POINTS: usize = 400;
/// The approximate width of a character of the legend.
const LETTER: f64 = 7.2;

/// One line.
#[derive(Clone, Debug)]
pub(crate) struct Series {
    /// Its name in the legend.
    pub(crate) name: String,
    /// The points from left to right. The line is interrupted where the second value is not a number.
    pub(crate) points: Vec<(f64, f64)>,
}

/// Lines over a common axis.
#[derive(Clone, Debug)]
pub(crate) struct Chart {
    /// Prefix of the ids in the drawing: letters and digits, its own in the page.
    pub(crate) id: String,
    /// The title.
    pub(crate) title: String,
    /// A description of the lines for screen readers.
    pub(crate) description: String,
    /// The label of the horizontal axis.
    pub(crate) across_title: &'static str,
    pub(crate) across: Across,
    pub(crate) up: Up,
    pub(crate) series: Vec<Series>,
}

/// The chart as an SVG element.
pub(crate) fn chart(chart: &Chart) -> String {
    let lines: Vec<_> = chart.series.iter().map(|series| usable(series, chart)).collect();
    let all = || lines.iter().flatten().flatten().copied();
    let across = Scale::across(chart.across, all().map(|(x, _)| x));
    let up = Scale::up(chart.up, all().map(|(_, y)| y));
    let mut svg = opening(chart);
    svg.push_str(&grid(&across, &up));
    svg.push_str(&legend(chart));
    for (index, line) in lines.iter().enumerate() {
        let _ = write!(svg, r#"<path class="line s{index}" d="{}"/>"#, path(line, &across, &up));
        svg.push('\n');
    }
    if all().next().is_none() {
        let _ = writeln!(
            svg,
            r#"<text class="nothing" x="{:.1}" y="{:.1}">nothing was measured</text>"#,
            middle(LEFT, RIGHT),
            middle(TOP, BOTTOM)
        );
    }
    let _ = writeln!(
        svg,
        r#"<text class="axis" x="{:.1}" y="{:.1}">{}</text>"#,
        middle(LEFT, RIGHT),
        HEIGHT - 6.0,
        markup_escaped(chart.across_title)
    );
    svg.push_str("</svg>");
    svg
}

/// The points of a line that can be drawn; `None` where it is interrupted.
type Line = Vec<Option<(f64, f64)>>;

fn usable(series: &Series, chart: &Chart) -> Line {
    let points: Line =
        series.points.iter().map(|&(x, y)| (axis::fits_across(chart.across, x) && axis::fits_up(chart.up, y)).then_some((x, y))).collect();
    thinned(points)
}

/// A line with fewer points that keeps its peaks.
fn thinned(points: Line) -> Line {
    if points.len() <= MAX_POINTS {
        return points;
    }
    points.chunks(points.len().div_ceil(MAX_POINTS / 2)).flat_map(extremes).collect()
}

/// The lowest and the highest point of an interval, in their order.
fn extremes(span: &[Option<(f64, f64)>]) -> Line {
    let order = |a: &(usize, (f64, f64)), b: &(usize, (f64, f64))| a.1.1.total_cmp(&b.1.1);
    let known = || span.iter().enumerate().filter_map(|(index, point)| point.map(|point| (index, point)));
    match (known().min_by(order), known().max_by(order)) {
        (Some(low), Some(high)) if low.0 < high.0 => vec![Some(low.1), Some(high.1)],
        (Some(low), Some(high)) if low.0 > high.0 => vec![Some(high.1), Some(low.1)],
        (Some(only), _) => vec![Some(only.1)],
        (None, _) => vec![None],
    }
}

fn path(line: &Line, across: &Scale, up: &Scale) -> String {
    let mut path = String::new();
    let mut drawing = false;
    for (index, point) in line.iter().enumerate() {
        let Some((x, y)) = point else {
            drawing = false;
            continue;
        };
        let alone = !drawing && !matches!(line.get(index + 1), Some(Some(_)));
        let (x, y) = (place_across(across.place(*x)), place_up(up.place(*y)));
        let _ = write!(path, "{}{x:.1} {y:.1}", if drawing { "L" } else { "M" });
        // A single point is drawn as a dot by the round line caps.
        path.push_str(if alone { "h0" } else { "" });
        drawing = true;
    }
    path
}

fn place_across(part: f64) -> f64 {
    LEFT + part * (RIGHT - LEFT)
}

fn place_up(part: f64) -> f64 {
    BOTTOM - part * (BOTTOM - TOP)
}

fn middle(from: f64, to: f64) -> f64 {
    f64::midpoint(from, to)
}

fn opening(chart: &Chart) -> String {
    let (id, title, description) = (&chart.id, markup_escaped(&chart.title), markup_escaped(&chart.description));
    format!(
        "<svg class=\"chart\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-labelledby=\"{id}-title {id}-desc\">\n\
         <title id=\"{id}-title\">{title}</title>\n<desc id=\"{id}-desc\">{description}</desc>\n"
    )
}

/// Lines and numbers of both axes.
fn grid(across: &Scale, up: &Scale) -> String {
    let mut svg = String::new();
    for (value, label) in up.ticks() {
        let y = place_up(up.place(value));
        let _ = writeln!(
            svg,
            r#"<path class="grid" d="M{LEFT:.1} {y:.1}H{RIGHT:.1}"/><text class="tick up" x="{:.1}" y="{:.1}">{label}</text>"#,
            LEFT - 8.0,
            y + 4.0
        );
    }
    for (value, label) in across.ticks() {
        let x = place_across(across.place(value));
        let _ = writeln!(
            svg,
            r#"<path class="grid" d="M{x:.1} {TOP:.1}V{BOTTOM:.1}"/><text class="tick across" x="{x:.1}" y="{:.1}">{label}</text>"#,
            BOTTOM + 16.0
        );
    }
    svg
}

fn legend(chart: &Chart) -> String {
    let mut svg = String::new();
    let mut x = LEFT;
    for (index, series) in chart.series.iter().enumerate() {
        let name = markup_escaped(&series.name);
        let _ = writeln!(
            svg,
            r#"<path class="line s{index}" d="M{x:.1} 16.0h22"/><text class="name" x="{:.1}" y="20.0">{name}</text>"#,
            x + 28.0
        );
        // Long names must stay within the drawing.
        x = (x + 28.0 + LETTER * series.name.chars().count() as f64 + 18.0).min(RIGHT - 28.0);
    }
    svg
}

#[cfg(test)]
mod tests;
