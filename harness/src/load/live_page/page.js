"use strict";
// Asks for the numbers every second and shows them. Whatever they hold is text.

const EVERY = 1000;
const SVG = "http://www.w3.org/2000/svg";
const LEFT = 70, RIGHT = 590, TOP = 34, BOTTOM = 145;

const byId = id => document.getElementById(id);

const element = (tag, content, tone) => {
  const made = document.createElement(tag);
  made.textContent = content;
  if (tone) made.className = tone;
  return made;
};

const drawn = (tag, attributes, content = "") => {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.textContent = content;
  return made;
};

const row = cells => {
  const made = document.createElement("tr");
  made.append(...cells);
  return made;
};

const rows = table => table.map(cells => row(cells.map(cell => element("td", cell))));

const figure = ({ label, text, tone }) => {
  const made = document.createElement("div");
  made.append(element("dt", label), element("dd", text, tone));
  return made;
};

// Fills a part of the page, and hides it while there is nothing to show.
const fill = (id, parts) => {
  byId(id).replaceChildren(...parts);
  const around = byId(`${id}-part`);
  if (around) around.hidden = parts.length === 0;
};

const digits = number => (number >= 100 || Number.isInteger(number) ? Math.round(number).toLocaleString("en") : Number(number.toPrecision(3)).toString());
const time = micros => micros < 1000 ? `${digits(micros)} µs` : micros < 1e6 ? `${digits(micros / 1000)} ms` : `${digits(micros / 1e6)} s`;
const rate = number => `${digits(number)}/s`;

// Lines over time: `[name, number of a point]`. Where a number is missing, a line has a gap.
const chart = (id, history, lines, write) => {
  const known = lines.map(([, number]) => history.map(number).filter(value => value !== null));
  const high = Math.max(1e-9, ...known.flat());
  const first = history[0].at, length = Math.max(1, history.at(-1).at - first);
  const x = point => LEFT + (RIGHT - LEFT) * (point.at - first) / length;
  const y = value => BOTTOM - (BOTTOM - TOP) * value / high;
  const parts = [
    drawn("path", { class: "grid", d: `M${LEFT} ${TOP}H${RIGHT}M${LEFT} ${(TOP + BOTTOM) / 2}H${RIGHT}M${LEFT} ${BOTTOM}H${RIGHT}` }),
    drawn("text", { class: "end", x: LEFT - 6, y: TOP + 4 }, write(high)),
    drawn("text", { class: "end", x: LEFT - 6, y: BOTTOM + 4 }, write(0)),
    drawn("text", { x: LEFT, y: BOTTOM + 20 }, `${digits(length)} s ago`),
    drawn("text", { class: "end", x: RIGHT, y: BOTTOM + 20 }, "now"),
  ];
  const said = [];
  lines.forEach(([name, number], index) => {
    let points = [];
    const end = () => {
      if (points.length) parts.push(drawn("polyline", { class: `s${index}`, points: points.join(" ") }));
      points = [];
    };
    for (const point of history) {
      const value = number(point);
      if (value === null) end();
      else points.push(`${x(point).toFixed(1)},${y(value).toFixed(1)}`);
    }
    end();
    const last = number(history.at(-1));
    const text = `${name} ${last === null ? "–" : write(last)}`;
    said.push(text);
    parts.push(drawn("text", { class: `s${index}`, x: LEFT + index * 175, y: 18 }, text));
  });
  byId(id).setAttribute("aria-label", said.join(", "));
  byId(id).replaceChildren(...parts);
};

const charts = history => {
  if (history.length === 0) return;
  chart("rate", history, [["calls", point => point.rate], ["failed", point => point.errors]], rate);
  chart("times", history, [["response p50", point => point.p50], ["response p99", point => point.p99], ["service p99", point => point["service-p99"]]], time);
  chart("users", history, [["users", point => point.users]], digits);
  const lags = history.some(point => point["lag-p99"] !== null);
  byId("lag-part").hidden = !lags;
  if (lags) chart("lag", history, [["p99", point => point["lag-p99"]]], time);
};

const show = state => {
  document.title = `${state.phase}: ${state.title}`;
  byId("title").textContent = state.title;
  byId("load").textContent = state.load;
  byId("phase").textContent = state.phase;
  byId("done").value = state.done;
  fill("figures", state.figures.map(figure));
  fill("thresholds", state.thresholds.map(({ verdict, tone, rule, measured }) =>
    row([element("td", verdict, tone), element("td", rule), element("td", measured)])));
  fill("operations", rows(state.operations));
  fill("errors", rows(state.errors));
  fill("causes", rows(state.causes));
  fill("notifications", state.notifications.map(figure));
  charts(state.history);
};

const ask = async () => {
  try {
    const response = await fetch("state.json", { cache: "no-store" });
    show(await response.json());
    byId("gone").hidden = true;
  } catch {
    byId("gone").hidden = false;
  }
  setTimeout(ask, EVERY);
};

ask();
