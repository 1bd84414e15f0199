//! Van der Laan, Jalba, Roerdink 2011: Accelerating Wavelet Lifting on
//! Graphics Hardware using CUDA.

use super::super::common::check::RandomSample;
use super::super::conclude;
use super::super::figures::{Section, Table};
use super::super::session::Session;
use super::publish;
use wavelift::{ColumnPass, Direction, Result, RowPass, Strategy, Transform, Wavelet};

const CARD: &[&str] = &["GeForce 8800 GTX"];
const MILLISECONDS: f64 = 1e3;
const CPU: &str = "one core of a CPU (Schroedinger)";
const AUTO: &str = "auto";

/// The paper's method: rows and columns with intermediate results in local
/// memory, a barrier per step.
const SLIDING: Strategy = Strategy::Separable {
    rows: RowPass::Exchanged,
    columns: ColumnPass::Exchanged,
};
/// Its transpose method.
const TRANSPOSED: Strategy = Strategy::Separable {
    rows: RowPass::Exchanged,
    columns: ColumnPass::Transposed,
};
const CONVOLUTION: Strategy = Strategy::Separable {
    rows: RowPass::Convolution,
    columns: ColumnPass::Convolution,
};

/// What the paper's tables say of one wavelet in one direction, in milliseconds.
struct Published {
    wavelet: Wavelet,
    /// Table III: CPU, transposed, the paper's method.
    picture: [f64; 3],
    /// Table IV: horizontal and vertical step of one level.
    steps: [f64; 2],
    /// Table V: with 32 bits.
    wide: f64,
    /// Table VI: CPU and the paper's method, 512^3.
    volume: [f64; 2],
}

const fn line(
    wavelet: Wavelet,
    picture: [f64; 3],
    steps: [f64; 2],
    wide: f64,
    volume: [f64; 2],
) -> Published {
    Published {
        wavelet,
        picture,
        steps,
        wide,
        volume,
    }
}

const ANALYSIS: [Published; 6] = [
    line(
        Wavelet::VC2_HAAR_0,
        [10.31, 5.58, 0.80],
        [0.26, 0.19],
        1.09,
        [1037.4, 147.2],
    ),
    line(
        Wavelet::VC2_DD_9_7,
        [16.84, 6.01, 1.50],
        [0.44, 0.42],
        1.64,
        [2333.1, 192.0],
    ),
    line(
        Wavelet::VC2_LEGALL_5_3,
        [14.03, 5.89, 1.34],
        [0.39, 0.34],
        1.45,
        [1636.2, 179.3],
    ),
    line(
        Wavelet::VC2_DD_13_7,
        [19.52, 6.08, 1.62],
        [0.47, 0.47],
        1.75,
        [3056.1, 200.5],
    ),
    line(
        Wavelet::VC2_DAUB_9_7,
        [22.66, 6.54, 2.05],
        [0.62, 0.62],
        2.13,
        [3041.3, 234.6],
    ),
    line(
        Wavelet::VC2_FIDELITY,
        [28.82, 6.45, 2.11],
        [0.63, 0.76],
        2.72,
        [5918.4, 239.2],
    ),
];
const SYNTHESIS: [Published; 6] = [
    line(
        Wavelet::VC2_HAAR_0,
        [9.11, 6.33, 0.83],
        [0.29, 0.19],
        1.15,
        [926.5, 150.9],
    ),
    line(
        Wavelet::VC2_DD_9_7,
        [15.93, 6.40, 1.45],
        [0.39, 0.44],
        1.81,
        [2289.9, 184.7],
    ),
    line(
        Wavelet::VC2_LEGALL_5_3,
        [13.02, 6.29, 1.28],
        [0.35, 0.36],
        1.66,
        [1631.1, 173.7],
    ),
    line(
        Wavelet::VC2_DD_13_7,
        [18.22, 6.48, 1.55],
        [0.42, 0.48],
        1.90,
        [2983.9, 192.1],
    ),
    line(
        Wavelet::VC2_DAUB_9_7,
        [21.73, 7.03, 2.04],
        [0.58, 0.79],
        2.35,
        [2943.5, 232.0],
    ),
    line(
        Wavelet::VC2_FIDELITY,
        [27.21, 6.86, 2.18],
        [0.59, 0.64],
        2.80,
        [5830.7, 230.9],
    ),
];
const BOTH: [(Direction, &str, &[Published]); 2] = [
    (Direction::Forward, "analysis", &ANALYSIS),
    (Direction::Inverse, "synthesis", &SYNTHESIS),
];

/// All six wavelets; two where it must be quick.
fn chosen<'a>(session: &Session, lines: &'a [Published]) -> impl Iterator<Item = &'a Published> {
    let quick = [Wavelet::VC2_LEGALL_5_3, Wavelet::VC2_DAUB_9_7];
    let all = !session.quick;
    lines
        .iter()
        .filter(move |line| all || quick.contains(&line.wavelet))
}

/// A method, by what, and what was published for it.
type Method = (&'static str, Option<Strategy>, Option<f64>);

fn measure<T: RandomSample>(
    session: &Session,
    section: &mut Section,
    table: &mut Table,
    transform: &Transform,
    direction: Direction,
    methods: &[Method],
) -> Result<()> {
    let work = transform.wavelet().to_string();
    for &(method, strategy, published) in methods {
        let timed = session.time::<T>(section, transform, direction, strategy)?;
        let figure = timed.map(|timed| timed.figure(&work, method, 0.0, MILLISECONDS));
        publish(&mut table.figures, figure, &work, method, published);
    }
    Ok(())
}

fn hd(wavelet: &Wavelet) -> Transform {
    Transform::new(wavelet.clone(), [1080, 1920])
}

pub fn pictures(session: &Session) -> Result<Section> {
    let mut section = Section::new(
        "Six wavelets on a picture (van der Laan et al., Tables III to V)",
        "1920 x 1080 in `i16`, three levels; `exchanged` is the paper's method (a sliding window in local memory), `transposed` \
         its row pass with transposition, `auto` what the planner composes. Then the steps of one level by the paper's method, \
         and the same in 32 bits.",
    );
    for (direction, name, lines) in BOTH {
        let mut whole = Table::new(&format!("Table III, {name}"), "ms", CARD);
        let mut steps = Table::new(&format!("Table IV, {name}, one level"), "ms", CARD);
        let mut wide = Table::new(&format!("Table V, {name}"), "ms", CARD);
        for line in chosen(session, lines) {
            let [cpu, transposed, ours] = line.picture;
            let work = line.wavelet.to_string();
            let three = hd(&line.wavelet).levels(3);
            publish(&mut whole.figures, None, &work, CPU, Some(cpu));
            let methods: [Method; 3] = [
                ("transposed", Some(TRANSPOSED), Some(transposed)),
                ("exchanged", Some(SLIDING), Some(ours)),
                (AUTO, None, None),
            ];
            measure::<i16>(
                session,
                &mut section,
                &mut whole,
                &three,
                direction,
                &methods,
            )?;
            for (axis, step) in [(1, "horizontal"), (0, "vertical")] {
                let one = hd(&line.wavelet).axes([axis]);
                let methods: [Method; 1] = [(step, Some(SLIDING), Some(line.steps[1 - axis]))];
                measure::<i16>(session, &mut section, &mut steps, &one, direction, &methods)?;
            }
            if !session.quick {
                let methods: [Method; 1] = [("16 bits", Some(SLIDING), Some(ours))];
                measure::<i16>(
                    session,
                    &mut section,
                    &mut wide,
                    &three,
                    direction,
                    &methods,
                )?;
                let methods: [Method; 1] = [("32 bits", Some(SLIDING), Some(line.wide))];
                measure::<i32>(
                    session,
                    &mut section,
                    &mut wide,
                    &three,
                    direction,
                    &methods,
                )?;
            }
        }
        let conclusions = conclude_pictures(name, &whole, &steps, &wide);
        section.conclusions.extend(conclusions);
        section.tables.extend([whole, steps, wide]);
    }
    section.tables.retain(|table| !table.figures.is_empty());
    Ok(section)
}

fn conclude_pictures(name: &str, whole: &Table, steps: &Table, wide: &Table) -> [String; 3] {
    let in_words = format!("({name})");
    [
        conclude::takes_longer(
            whole,
            ["transposed", "exchanged"],
            2.0,
            &format!(
                "the sliding window is about twice as fast as transposition or more {in_words}"
            ),
        ),
        conclude::take_the_same(
            steps,
            ["vertical", "horizontal"],
            1.4,
            &format!(
                "the vertical step takes about as long as the horizontal one, within 1.4 {in_words}"
            ),
        ),
        conclude::take_the_same(
            wide,
            ["32 bits", "16 bits"],
            1.5,
            &format!("32 bits take at most about 1.5 times as long as 16 {in_words}"),
        ),
    ]
}

pub fn volumes(session: &Session) -> Result<Section> {
    let side = session.cases(64, 512);
    let mut section = Section::new(
        "Volumes (van der Laan et al., Table VI)",
        &format!(
            "{side}^3 in `i16`, three levels, as the planner composes it and by the paper's method. The paper has 512^3."
        ),
    );
    for (direction, name, lines) in BOTH {
        let mut table = Table::new(&format!("Table VI, {name}"), "ms", CARD);
        for line in chosen(session, lines) {
            let [cpu, ours] = line
                .volume
                .map(|published| (side == 512).then_some(published));
            let work = line.wavelet.to_string();
            let transform = Transform::new(line.wavelet.clone(), [side; 3]).levels(3);
            publish(&mut table.figures, None, &work, CPU, cpu);
            // With barriers PoCL takes 240 ns per sample: half an hour for these tables.
            let has_time = session.quick || !session.is_cpu();
            let methods: &[Method] = match has_time {
                true => &[("exchanged", Some(SLIDING), ours), (AUTO, None, None)],
                false => &[(AUTO, None, None)],
            };
            if !has_time {
                section.note("the paper's method is for GPUs, and is not run on a CPU's volumes of this size");
                publish(&mut table.figures, None, &work, "exchanged", ours);
            }
            measure::<i16>(
                session,
                &mut section,
                &mut table,
                &transform,
                direction,
                methods,
            )?;
        }
        let claim = format!(
            "composed of fused passes and sweeps, a volume is faster than by the paper's method ({name})"
        );
        section.conclusions.push(conclude::takes_longer(
            &table,
            ["exchanged", AUTO],
            1.0,
            &claim,
        ));
        section.tables.push(table);
    }
    Ok(section)
}

pub fn convolution_and_transposition(session: &Session) -> Result<Section> {
    let mut section = Section::new(
        "Lifting against convolution (van der Laan et al., section V.B.6)",
        "1920 x 1080, three levels of 9/7: the paper in integers, ours in `f32`, which convolution needs. `four_pairs` is the \
         fastest of the separable methods in Kucis et al.",
    );
    let mut table = Table::new("Three levels of 9/7", "ms", CARD);
    let three = hd(&Wavelet::CDF_9_7).levels(3);
    for (direction, name, published) in [
        (Direction::Forward, "analysis", [3.4, 2.05]),
        (Direction::Inverse, "synthesis", [5.0, 2.04]),
    ] {
        let methods: [Method; 4] = [
            ("convolution", Some(CONVOLUTION), Some(published[0])),
            ("exchanged", Some(SLIDING), Some(published[1])),
            ("four_pairs", Some(Strategy::SEPARABLE), None),
            (AUTO, None, None),
        ];
        for (method, strategy, published) in methods {
            let timed = session.time::<f32>(&mut section, &three, direction, strategy)?;
            let figure = timed.map(|timed| timed.figure(name, method, 0.0, MILLISECONDS));
            publish(&mut table.figures, figure, name, method, published);
        }
    }
    section.conclusions.extend([
        conclude::takes_longer(
            &table,
            ["convolution", "exchanged"],
            1.5,
            "convolution takes 1.5 times as long as lifting or more",
        ),
        conclude::takes_longer(
            &table,
            ["convolution", "four_pairs"],
            1.0,
            "convolution is slower than lifting without exchange",
        ),
    ]);
    section.tables.push(table);
    Ok(section)
}
