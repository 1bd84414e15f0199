//! What the page `coming_from_pywavelets` of the documentation says, against what PyWavelets
//! returns: tests/data/README.md says how that was made. The code follows the page.

use serde_json::Value;
use std::f64::consts::SQRT_2;
use wavelift::{Band, Boundary, Coefficients, Transform, Wavelet, reference};

const RETURNED: &str = include_str!("data/pywavelets_raw.jsonl");

/// What PyWavelets calls a wavelet, ours, and the factors of approximations and details.
const WAVELETS: [(&str, Wavelet, [f64; 2]); 4] = [
    ("bior4.4", Wavelet::CDF_9_7, [1.0 / SQRT_2, -SQRT_2]),
    ("bior2.2", Wavelet::CDF_5_3, [1.0 / SQRT_2, -SQRT_2]),
    ("haar", Wavelet::HAAR, [1.0, -1.0]),
    ("db2", Wavelet::DAUB_4, [1.0, -1.0]),
];

/// Keys name the outermost axis first.
fn band(name: &str) -> Band {
    let key = match name {
        "cH" => "da",
        "cV" => "ad",
        "cD" => "dd",
        key => key,
    };
    let letter = |c| if c == 'd' { 'H' } else { 'L' };
    let letters: String = key.chars().rev().map(letter).collect();
    letters.parse().unwrap()
}

/// How many of the axes a band is high-pass along, innermost first.
fn is_high(band: Band) -> Vec<bool> {
    band.to_string().chars().map(|c| c == 'H').collect()
}

/// An array rolled forward along one axis, as by `np.roll`.
fn rolled(values: &[f64], shape: &[usize], axis: usize, by: i64) -> Vec<f64> {
    let inner: usize = shape[axis + 1..].iter().product();
    let n = shape[axis];
    let from = |i: usize| {
        let place = i / inner % n;
        let source = (place as i64 - by).rem_euclid(n as i64) as usize;
        i - place * inner + source * inner
    };
    (0..values.len()).map(|i| values[from(i)]).collect()
}

fn numbers(value: &Value) -> Vec<f64> {
    let numbers = value.as_array().unwrap().iter();
    numbers.map(|number| number.as_f64().unwrap()).collect()
}

struct Case {
    value: Value,
    wavelet: Wavelet,
    factors: [f64; 2],
    levels: u32,
    shape: Vec<usize>,
    input: Vec<f64>,
}

impl Case {
    fn parse(line: &str) -> Self {
        let value: Value = serde_json::from_str(line).unwrap();
        let name = value["wavelet"].as_str().unwrap();
        let (_, wavelet, factors) = WAVELETS
            .into_iter()
            .find(|(theirs, ..)| *theirs == name)
            .unwrap();
        Case {
            wavelet,
            factors,
            levels: value["levels"].as_u64().unwrap() as u32,
            shape: numbers(&value["shape"])
                .iter()
                .map(|&n| n as usize)
                .collect(),
            input: numbers(&value["input"]),
            value,
        }
    }

    fn factor(&self, level: u32, band: Band) -> f64 {
        let [a, d] = self.factors;
        let high = is_high(band);
        let along: f64 = high.iter().map(|&high| if high { d } else { a }).product();
        a.powi((high.len() as u32 * (level - 1)) as i32) * along
    }

    fn coefficients(&self, boundary: Boundary, input: &[f64]) -> Coefficients<f64> {
        let transform = Transform::new(self.wavelet.clone(), self.shape.clone())
            .levels(self.levels)
            .boundary(boundary);
        let data = reference::forward(&transform, input).unwrap();
        Coefficients::from_parts(&transform, data).unwrap()
    }

    /// The bands as PyWavelets returned them, with their levels.
    fn returned(&self) -> Vec<(u32, Band, Vec<f64>)> {
        let bands = self.value["bands"].as_array().unwrap().iter();
        let read = |value: &Value| {
            let level = value["level"].as_u64().unwrap() as u32;
            (
                level,
                band(value["name"].as_str().unwrap()),
                numbers(&value["values"]),
            )
        };
        bands.map(read).collect()
    }

    fn compare(&self, ours: &Coefficients<f64>, level: u32, band: Band, theirs: &[f64]) {
        let ours = ours.band(level, band).unwrap().to_vec();
        assert_eq!(ours.len(), theirs.len(), "{}", self.value);
        let factor = self.factor(level, band);
        let largest = ours
            .iter()
            .fold(1.0, |most: f64, value| most.max(value.abs()));
        for (ours, theirs) in ours.iter().zip(theirs) {
            let error = (ours - factor * theirs).abs() / largest;
            assert!(
                error < 1e-11,
                "{band} of level {level}: {error:e}\n{}",
                self.value
            );
        }
    }

    fn check_periodic(&self) {
        let is_db2 = self.wavelet == Wavelet::DAUB_4;
        let axes = self.shape.len();
        // What PyWavelets was given is our signal rolled back.
        let by = (1i64 << self.levels) - 1;
        let mut input = self.input.clone();
        for axis in (0..axes).filter(|_| is_db2) {
            input = rolled(&input, &self.shape, axis, by);
        }
        let ours = self.coefficients(Boundary::Periodic, &input);
        let mut order = Vec::new();
        for (level, band, mut theirs) in self.returned() {
            let shape = ours.band(level, band).unwrap().shape().to_vec();
            for (i, high) in is_high(band).into_iter().enumerate() {
                if is_db2 {
                    let by = (1 << (self.levels - level)) - i64::from(!high);
                    theirs = rolled(&theirs, &shape, axes - 1 - i, by);
                }
            }
            self.compare(&ours, level, band, &theirs);
            order.push((level, band));
        }
        // Coarsest first, in both.
        let levels = |bands: &[(u32, Band)]| bands.iter().map(|band| band.0).collect::<Vec<_>>();
        let bands = ours.transform().bands();
        assert_eq!(levels(&order), levels(&bands));
        assert!(bands.iter().all(|band| order.contains(band)));
    }

    fn check_reflected(&self) {
        let n = self.shape[0];
        let first = if self.wavelet == Wavelet::CDF_9_7 {
            2
        } else {
            1
        };
        let ours = self.coefficients(Boundary::Symmetric, &self.input);
        for (level, band, theirs) in self.returned() {
            let count = if band == Band::H {
                n / 2
            } else {
                n.div_ceil(2)
            };
            self.compare(&ours, level, band, &theirs[first..first + count]);
        }
    }
}

#[test]
fn the_page_is_what_pywavelets_returns() {
    let mut calls = Vec::new();
    for line in RETURNED.lines() {
        let case = Case::parse(line);
        match case.value["mode"].as_str().unwrap() {
            "periodization" => case.check_periodic(),
            "reflect" => case.check_reflected(),
            other => panic!("mode {other}"),
        }
        calls.push(case.value["call"].as_str().unwrap().to_owned());
    }
    let count = |call: &str| calls.iter().filter(|&name| name == call).count();
    let counts = ["wavedec", "wavedec2", "wavedecn", "dwt"].map(count);
    assert_eq!(counts, [12, 12, 8, 8]);
}
