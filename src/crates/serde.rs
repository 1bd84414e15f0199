//! The feature `serde`: transforms and wavelets as plain data in files and messages. What is read
//! goes through the constructors, so nothing is read that they refuse.

use crate::device::{DeviceKind, Exchange, Fence};
use crate::error;
use crate::strategy::{ColumnPass, RowPass, Strategy};
use crate::transform::{Band, Layout, Transform};
use crate::wavelet::{
    AxisOrder, Boundary, Channel, Direction, IntegerStep, PixelType, RealStep, SampleType, Scale,
    Wavelet,
};
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};
use serde::{Serialize, Serializer};
use std::fmt;

/// What `Display` writes and `FromStr` reads.
macro_rules! by_name {
    ($($T:ty)*) => {$(
        /// By its name. Requires the feature `serde`.
        impl Serialize for $T {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        /// By its name. Requires the feature `serde`.
        impl<'de> Deserialize<'de> for $T {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let name = String::deserialize(deserializer)?;
                name.parse().map_err(D::Error::custom)
            }
        }
    )*};
}

by_name! { Band Boundary ColumnPass DeviceKind Exchange Fence Layout PixelType RowPass SampleType Strategy }

/// Enums that have no names elsewhere.
macro_rules! by_word {
    ($($T:ident: $($variant:ident $word:literal),*;)*) => {$(
        #[doc = concat!("One of" $(, " `", $word, "`")*, ". Requires the feature `serde`.")]
        impl Serialize for $T {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(match self { $($T::$variant => $word),* })
            }
        }

        #[doc = concat!("One of" $(, " `", $word, "`")*, ". Requires the feature `serde`.")]
        impl<'de> Deserialize<'de> for $T {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let word = String::deserialize(deserializer)?;
                match word.as_str() {
                    $($word => Ok($T::$variant),)*
                    other => Err(D::Error::unknown_variant(other, &[$($word),*])),
                }
            }
        }
    )*};
}

by_word! {
    AxisOrder: InnermostFirst "innermost_first", OutermostFirst "outermost_first";
    Channel: Approximation "approximation", Detail "detail";
    Direction: Forward "forward", Inverse "inverse";
}

/// A transform in full. What is left out when it is read is what [`Transform::new`] sets.
#[derive(serde::Serialize, serde::Deserialize)]
#[serde(rename = "Transform", deny_unknown_fields)]
struct PlainTransform {
    wavelet: Wavelet,
    shape: Vec<usize>,
    axes: Option<Vec<usize>>,
    levels: Option<u32>,
    boundary: Option<Boundary>,
    layout: Option<Layout>,
}

/// As a map of `wavelet`, `shape`, `axes`, `levels`, `boundary` and `layout`.
/// Requires the feature `serde`.
impl Serialize for Transform {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let plain = PlainTransform {
            wavelet: self.wavelet().clone(),
            shape: self.shape().to_vec(),
            axes: Some(self.chosen_axes().to_vec()),
            levels: Some(self.level_count()),
            boundary: Some(self.boundary_rule()),
            layout: Some(self.coefficient_layout()),
        };
        plain.serialize(serializer)
    }
}

/// From a map of `wavelet` and `shape`, and as far as they differ from what [`Transform::new`]
/// sets, `axes`, `levels`, `boundary` and `layout`. What [`Transform::check`] refuses is not read.
/// Requires the feature `serde`.
impl<'de> Deserialize<'de> for Transform {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let plain = PlainTransform::deserialize(deserializer)?;
        let mut transform = Transform::new(plain.wavelet, plain.shape);
        if let Some(axes) = plain.axes {
            transform = transform.axes(axes);
        }
        if let Some(levels) = plain.levels {
            transform = transform.levels(levels);
        }
        if let Some(boundary) = plain.boundary {
            transform = transform.boundary(boundary);
        }
        if let Some(layout) = plain.layout {
            transform = transform.layout(layout);
        }
        transform.check().map_err(D::Error::custom)?;
        Ok(transform)
    }
}

/// A wavelet that is not of the table.
#[derive(serde::Serialize, serde::Deserialize)]
#[serde(rename = "Wavelet", deny_unknown_fields)]
struct PlainWavelet {
    name: String,
    real: Option<PlainReal>,
    integer: Option<PlainInteger>,
    boundary: Option<Boundary>,
    axis_order: Option<AxisOrder>,
}

#[derive(serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct PlainReal {
    steps: Vec<PlainRealStep>,
    /// Of approximations and details.
    scale: [f64; 2],
}

#[derive(serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct PlainRealStep {
    target: Channel,
    first: i32,
    taps: Vec<f64>,
}

#[derive(serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct PlainInteger {
    steps: Vec<PlainIntegerStep>,
    pre_shift: u32,
}

#[derive(serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct PlainIntegerStep {
    target: Channel,
    first: i32,
    taps: Vec<i32>,
    bias: i32,
    shift: u32,
}

impl PlainReal {
    fn of(wavelet: &Wavelet) -> Option<Self> {
        let plain = |step: &RealStep| PlainRealStep {
            target: step.stencil().target,
            first: step.stencil().first,
            taps: step.taps().to_vec(),
        };
        let Scale {
            approximation,
            detail,
        } = wavelet.scale();
        Some(PlainReal {
            steps: wavelet.real_steps()?.iter().map(plain).collect(),
            scale: [approximation, detail],
        })
    }

    fn wavelet(&self, name: &str) -> error::Result<Wavelet> {
        let step = |step: &PlainRealStep| RealStep::new(step.target, step.first, &step.taps);
        let steps: Vec<RealStep> = self.steps.iter().map(step).collect();
        let [approximation, detail] = self.scale;
        Wavelet::real(
            name,
            &steps,
            Scale {
                approximation,
                detail,
            },
        )
    }
}

impl PlainInteger {
    fn of(wavelet: &Wavelet) -> Option<Self> {
        let plain = |step: &IntegerStep| PlainIntegerStep {
            target: step.stencil().target,
            first: step.stencil().first,
            taps: step.taps().to_vec(),
            bias: step.bias(),
            shift: step.shift(),
        };
        Some(PlainInteger {
            steps: wavelet.integer_steps()?.iter().map(plain).collect(),
            pre_shift: wavelet.pre_shift(),
        })
    }

    fn steps(&self) -> Vec<IntegerStep> {
        let step = |step: &PlainIntegerStep| {
            IntegerStep::add(step.target, step.first, &step.taps, step.bias, step.shift)
        };
        self.steps.iter().map(step).collect()
    }
}

impl PlainWavelet {
    fn wavelet(&self) -> error::Result<Wavelet> {
        let wavelet = match (&self.real, &self.integer) {
            (Some(real), None) => real.wavelet(&self.name),
            (None, Some(integer)) => {
                Wavelet::integer(&self.name, &integer.steps(), integer.pre_shift)
            }
            (Some(real), Some(integer)) => real
                .wavelet(&self.name)?
                .with_integer_steps(&integer.steps(), integer.pre_shift),
            (None, None) => Err(error::Error::Wavelet {
                name: self.name.clone(),
                why: "it has neither real nor integer steps".to_owned(),
            }),
        }?;
        let boundary = self.boundary.unwrap_or(wavelet.boundary());
        let axis_order = self.axis_order.unwrap_or(wavelet.axis_order());
        Ok(wavelet.with_boundary(boundary).with_axis_order(axis_order))
    }
}

/// By its name if it is one of [`Wavelet::ALL`], else as a map of `name`, `real` (`steps` and the
/// two factors of `scale`), `integer` (`steps` and `pre_shift`), `boundary` and `axis_order`.
/// Requires the feature `serde`.
impl Serialize for Wavelet {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if Wavelet::ALL.contains(self) {
            return serializer.serialize_str(self.name());
        }
        let plain = PlainWavelet {
            name: self.name().to_owned(),
            real: PlainReal::of(self),
            integer: PlainInteger::of(self),
            boundary: Some(self.boundary()),
            axis_order: Some(self.axis_order()),
        };
        plain.serialize(serializer)
    }
}

/// From the name of one of [`Wavelet::ALL`], or from a map as it is written; the format must
/// tell text from a map, as JSON and TOML do. What the constructors refuse is not read.
/// Requires the feature `serde`.
///
/// ```
/// use wavelift::Wavelet;
/// let wavelet: Wavelet = serde_json::from_str(r#""cdf97""#)?;
/// assert_eq!(wavelet, Wavelet::CDF_9_7);
/// let linear: Wavelet = serde_json::from_str(
///     r#"{
///         "name": "linear",
///         "integer": {
///             "steps": [{"target": "detail", "first": 0, "taps": [-1, -1], "bias": 1, "shift": 1}],
///             "pre_shift": 0
///         }
///     }"#,
/// )?;
/// assert_eq!(linear.integer_steps().map(<[_]>::len), Some(1));
/// # Ok::<(), serde_json::Error>(())
/// ```
impl<'de> Deserialize<'de> for Wavelet {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NameOrSteps)
    }
}

struct NameOrSteps;

impl<'de> Visitor<'de> for NameOrSteps {
    type Value = Wavelet;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of a wavelet, or its steps")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<Wavelet, E> {
        name.parse().map_err(E::custom)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Wavelet, A::Error> {
        let plain = PlainWavelet::deserialize(MapAccessDeserializer::new(map))?;
        plain.wavelet().map_err(A::Error::custom)
    }
}
