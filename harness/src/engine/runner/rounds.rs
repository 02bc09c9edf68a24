//! The rounds of a repetition for which a time is set: on a slow live target there are fewer.

use std::time::Instant;

use crate::spec::scenario::Step;

/// Where the steps of a case are in a repetition.
#[derive(Debug, Default)]
pub(super) struct Rounds {
    /// The last round, and when the first one began.
    current: Option<(usize, Instant)>,
    are_over: bool,
}

impl Rounds {
    /// Whether a step, the next one, belongs to a round that does not begin any more.
    pub(super) fn are_over(&mut self, step: &Step, now: Instant) -> bool {
        let Some(round) = step.round else {
            *self = Self::default();
            return false;
        };
        let (last, began) = match self.current {
            Some(current) if current.0 <= round.number => current,
            // The first round of this repetition, or of another right after it.
            _ => {
                self.are_over = false;
                (round.number, now)
            }
        };
        self.are_over |= round.number > last && now.saturating_duration_since(began) > round.within;
        self.current = Some((round.number, began));
        self.are_over
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::base::source::Source;
    use crate::spec::contract::Contracts;
    use crate::spec::scenario::parse;

    const WITHIN: Duration = Duration::from_secs(6);

    /// Which steps are played, where one takes so long.
    fn played(step: Duration) -> Vec<bool> {
        let call = "{ call: gateway.v1.create }";
        let repeat = format!("  - repeat: 3\n    within: 6s\n    steps: [{call}, {call}]\n");
        let script = format!("title: T\nsteps:\n  - {call}\n{repeat}{repeat}  - {call}\n");
        let scenario = parse("gateway/t.yaml", &Source::new("gateway/t.yaml", script), &Contracts::shipped()).unwrap();
        let (mut rounds, mut now) = (Rounds::default(), Instant::now());
        let play = |step_of_script: &Step| {
            let is_played = !rounds.are_over(step_of_script, now);
            now += if is_played { step } else { Duration::ZERO };
            is_played
        };
        scenario.steps.iter().map(play).collect()
    }

    #[test]
    fn every_round_is_played_where_there_is_time() {
        assert_eq!(played(WITHIN / 4), [true; 14]);
    }

    #[test]
    fn a_round_that_has_begun_is_played_to_its_end_and_the_next_one_is_not_begun() {
        let two = [true, true, true, true, false, false];
        assert_eq!(played(WITHIN * 2 / 5), [&[true][..], &two, &two, &[true]].concat());
        let one = [true, true, false, false, false, false];
        assert_eq!(played(WITHIN), [&[true][..], &one, &one, &[true]].concat());
    }
}
