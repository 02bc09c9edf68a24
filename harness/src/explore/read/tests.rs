use super::*;
use crate::contract::Files;

fn contracts() -> Contracts {
    Contracts::read(&Files::contracts()).unwrap()
}

#[test]
fn the_models_in_the_binary_are_sound() {
    let models = read_all(&Files::contracts(), &contracts()).unwrap_or_else(|problems| panic!("{}", problems.render(false)));
    assert!(models.len() >= 3);
    for model in &models {
        let things: Vec<&str> = model.actions.iter().flat_map(Action::creates).collect();
        for resource in model.resources.keys() {
            assert!(things.contains(&resource.as_str()), "{}: nothing creates a {resource}", model.api);
        }
    }
}

#[test]
fn all_mistakes_of_a_model_are_told_together_with_the_nearest_names() {
    let text = "api: gateway\ndocument: d\nresources:\n  payment: { begins: { state: PENDING }, most: many }\nactions:\n  \
                cancel:\n    call: [gateway.v1.cancl]\n    on: paymnt\n    with: { transId: '{{ di }}' }\n    rows:\n      \
                - { id: a, clause: gateway.cancel.unknwon, when: { stat: PENDING }, answer: perhaps }\n      - { id: a, wen: {} }\n      \
                - { id: b, tells: [{ clause: gateway.told, when: { stat: PENDING } }], keep: { tokn: token } }\n  \
                pay: { world: payer.pay, on: payment, rows: [] }\n";
    let told = read_all(&Files::of([("models/gateway.yaml", text)]), &contracts()).unwrap_err().to_string();
    let mistakes = [
        "`most` is a whole number",
        "there is no operation `gateway.v1.cancl`",
        "this model has no resource `paymnt`",
        "nothing named `di` is known here",
        "the clause `gateway.cancel.unknwon` is not declared",
        "nothing named `stat` is known here",
        "the clause `gateway.told` is not declared",
        "nothing named `tokn` is known here",
        "an answer is `accepted`, `refused`, `any`, a code, or a list of codes",
        "a row has no `wen`",
        "two rows of `cancel` are named `a`",
        "there is no world action `payer.pay`",
        "an action has at least one row",
    ];
    let silent: Vec<&&str> = mistakes.iter().filter(|mistake| !told.contains(**mistake)).collect();
    assert!(silent.is_empty(), "{silent:?} is not told in:\n{told}");
    assert!(told.contains("models/gateway.yaml:7:"), "{told}");
}
