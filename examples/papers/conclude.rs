//! Whether what a paper concludes holds for the figures of this device: sentences that are
//! computed, never written down.

use super::figures::Table;

/// The number of a work and a method.
type Number<'a> = &'a dyn Fn(&str, &str) -> Option<f64>;

/// The sentence for a claim that was tried in some cases: whether it held in each, and a
/// number that says how clearly.
struct Trial {
    held: usize,
    ratios: Vec<f64>,
}

impl Trial {
    fn of(ratios: Vec<f64>, at_least: f64) -> Self {
        let held = ratios.iter().filter(|&&ratio| ratio >= at_least).count();
        Trial { held, ratios }
    }

    fn sentence(mut self, claim: &str, of_what: &str, published: &[f64]) -> String {
        let cases = self.ratios.len();
        self.ratios.sort_by(f64::total_cmp);
        let Some(median) = self.ratios.get(cases / 2) else {
            return format!("Not tried on this device: {claim}.");
        };
        let published: Vec<String> = published
            .iter()
            .map(|ratio| format!("{ratio:.2}"))
            .collect();
        let published = match published.is_empty() {
            true => String::new(),
            false => format!(", published {}", published.join(", ")),
        };
        let range = match cases {
            1 => String::new(),
            _ => format!(
                " in the median, {:.2} to {:.2}",
                self.ratios[0],
                self.ratios[cases - 1]
            ),
        };
        let holds = match self.held {
            0 => "Does not hold here".to_owned(),
            held if held == cases => "Holds here".to_owned(),
            held => format!("Holds here in {held} of {cases} cases"),
        };
        format!("{holds}: {claim}. {of_what}: {median:.2}{range}{published}.")
    }
}

/// Whether `method` takes the least time among `methods`, by how much the next best is slower.
pub fn is_fastest(table: &Table, methods: &[&str], method: &str, claim: &str) -> String {
    let next = |number: Number| -> Vec<f64> {
        let ratio = |work: &&str| {
            let others = methods.iter().filter(|other| **other != method);
            let others = others.filter_map(|other| number(work, other));
            let least = others.fold(f64::INFINITY, f64::min);
            let own = number(work, method)?;
            least.is_finite().then_some(least / own)
        };
        table.works().iter().filter_map(ratio).collect()
    };
    let ours = next(&|work, method| table.value(work, method));
    let published = medians(table, next);
    Trial::of(ours, 1.0).sentence(claim, "The next best takes, relative to it", &published)
}

/// Whether `slow` takes at least so many times as long as `fast`.
pub fn takes_longer(table: &Table, [slow, fast]: [&str; 2], at_least: f64, claim: &str) -> String {
    let ours = ratios(table, [slow, fast], &|work, method| {
        table.value(work, method)
    });
    let published = medians(table, |number| ratios(table, [slow, fast], number));
    let of_what = format!("`{slow}` over `{fast}`");
    Trial::of(ours, at_least).sentence(claim, &of_what, &published)
}

/// Whether the two take about the same: neither so many times as long as the other.
pub fn take_the_same(table: &Table, [one, other]: [&str; 2], at_most: f64, claim: &str) -> String {
    let ours = ratios(table, [one, other], &|work, method| {
        table.value(work, method)
    });
    let published = medians(table, |number| ratios(table, [one, other], number));
    let is_same = |ratio: &&f64| **ratio <= at_most && 1.0 / **ratio <= at_most;
    let held = ours.iter().filter(is_same).count();
    let of_what = format!("`{one}` over `{other}`");
    let trial = Trial { held, ratios: ours };
    trial.sentence(claim, &of_what, &published)
}

/// Whether numbers, one for each case, are large enough.
pub fn at_least(numbers: Vec<f64>, least: f64, claim: &str, of_what: &str) -> String {
    Trial::of(numbers, least).sentence(claim, of_what, &[])
}

/// One method's number over another's, for each work that has both.
pub fn ratios(table: &Table, [over, under]: [&str; 2], number: Number) -> Vec<f64> {
    let works = table.works();
    let ratio = |work: &&str| Some(number(work, over)? / number(work, under)?);
    works.iter().filter_map(ratio).collect()
}

/// The median of ratios of published numbers, on each hardware of a table for which there are some.
fn medians(table: &Table, ratios: impl Fn(Number) -> Vec<f64>) -> Vec<f64> {
    let median = |hardware: usize| {
        let number =
            |work: &str, method: &str| table.figure(work, method)?.published.get(hardware).copied();
        let mut ratios = ratios(&number);
        ratios.sort_by(f64::total_cmp);
        ratios.get(ratios.len() / 2).copied()
    };
    (0..table.hardware.len()).filter_map(median).collect()
}
