use super::*;
use crate::modes::explore::model::ModelAction;

#[test]
fn the_models_in_the_binary_are_sound() {
    let models = read_all(&Files::contracts(), &Contracts::shipped()).unwrap_or_else(|problems| panic!("{}", problems.render(false)));
    assert!(models.len() >= 3);
    for model in &models {
        let created: Vec<&str> = model.actions.iter().flat_map(ModelAction::creates).collect();
        for resource in model.resources.keys() {
            assert!(created.contains(&resource.as_str()), "{}: nothing creates a {resource}", model.api);
        }
    }
}

#[test]
fn all_mistakes_of_a_model_are_reported_together_with_the_nearest_names() {
    let text = "api: gateway\ndocument: d\nresources:\n  payment: { initial: { state: PENDING }, max: many }\nactions:\n  \
                cancel:\n    call: [gateway.v1.cancl]\n    on: paymnt\n    with: { transId: '{{ di }}' }\n    transitions:\n      \
                - { id: a, clause: gateway.cancel.unknwon, when: { stat: PENDING }, response: perhaps }\n      - { id: a, wen: {} }\n      \
                - { id: b, expect-when: [{ clause: gateway.told, when: { stat: PENDING } }], keep: { tokn: token } }\n  \
                pay: { world: payer.pay, on: payment, transitions: [] }\n";
    let reported = read_all(&Files::from_texts([("models/gateway.yaml", text)]), &Contracts::shipped()).unwrap_err().to_string();
    let mistakes = [
        "`max` is a whole number",
        "there is no operation `gateway.v1.cancl`",
        "this model has no resource `paymnt`",
        "nothing named `di` is known here",
        "the clause `gateway.cancel.unknwon` is not declared",
        "nothing named `stat` is known here",
        "the clause `gateway.told` is not declared",
        "nothing named `tokn` is known here",
        "a response is `accepted`, `refused`, `any`, a code, or a list of codes",
        "a transition has no `wen`",
        "two transitions of `cancel` are named `a`",
        "there is no world action `payer.pay`",
        "an action has at least one transition",
    ];
    let missing: Vec<&&str> = mistakes.iter().filter(|mistake| !reported.contains(**mistake)).collect();
    assert!(missing.is_empty(), "{missing:?} is missing in:\n{reported}");
    assert!(reported.contains("models/gateway.yaml:7:"), "{reported}");
}
