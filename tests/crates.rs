//! The features: what other crates' types make of this one's. Each module needs
//! the feature of its name.

#[cfg(feature = "ndarray")]
#[path = "common/mod.rs"]
mod common;

#[cfg(feature = "ndarray")]
mod arrays {
    use super::common::devices;
    use ndarray::{Array2, Array3, ArrayD, Axis, s};
    use wavelift::{Band, Coefficients, Engine, Error, Layout, Transform, Wavelet, reference};

    fn counted(transform: &Transform) -> Coefficients<i32> {
        let data = (0..transform.len() as i32).collect();
        Coefficients::from_parts(transform, data).unwrap()
    }

    #[test]
    fn views_of_bands_are_the_bands() {
        for (shape, axes) in [
            (vec![5, 7], vec![0, 1]),
            (vec![3, 1, 6], vec![2, 1]),
            (vec![4, 3, 2, 5], vec![0, 3]),
            (vec![2, 3, 4, 5], vec![0, 1, 2, 3]),
            (vec![9], vec![0]),
            (vec![1, 1], vec![0, 1]),
        ] {
            for &layout in Layout::ALL {
                let transform = Transform::new(Wavelet::CDF_5_3, shape.clone())
                    .axes(axes.clone())
                    .levels(3)
                    .layout(layout);
                let mut coefficients = counted(&transform);
                assert_eq!(coefficients.as_array().shape(), transform.shape());
                for (level, band) in transform.bands() {
                    let view = coefficients.band(level, band).unwrap();
                    let (expected, shape) = (view.to_vec(), view.shape().to_vec());
                    let array = view.as_array();
                    assert_eq!(array.shape(), shape);
                    assert_eq!(array.iter().copied().collect::<Vec<_>>(), expected);

                    let mut view = coefficients.band_mut(level, band).unwrap();
                    view.as_array_mut().mapv_inplace(|value| -value);
                    assert_eq!(view.as_array().shape(), shape);
                    assert_eq!(
                        view.iter().map(|value| -value).collect::<Vec<_>>(),
                        expected
                    );
                }
                // Every coefficient is in one band.
                let all = coefficients.into_array();
                assert!(
                    all.iter()
                        .enumerate()
                        .all(|(i, &value)| value == -(i as i32))
                );
            }
        }
    }

    #[test]
    fn coefficients_are_changed_where_they_stand() {
        let transform = Transform::new(Wavelet::CDF_5_3, [4, 6]);
        let mut coefficients = counted(&transform);
        coefficients.as_array_mut().fill(7);
        coefficients.as_array_mut()[[1, 2]] = 9;
        assert_eq!(coefficients.as_slice()[8], 9);
        let ll = coefficients.band(1, Band::LL).unwrap().as_array();
        assert_eq!(ll.slice(s![1, ..]).to_vec(), [7, 7, 9]);
    }

    #[test]
    fn plans_take_arrays_in_any_order_and_give_arrays() {
        let transform = Transform::new(Wavelet::CDF_5_3, [12, 20]).levels(2);
        let dense = Array2::from_shape_fn([12, 20], |(y, x)| ((y * 31 + x * 17) % 101) as i16);
        let expected = reference::forward(&transform, dense.as_slice().unwrap()).unwrap();
        // The columns one after the other; every second column of a wider array.
        let columns = dense.t().as_standard_layout().into_owned().reversed_axes();
        let mut wide = Array2::zeros([12, 40]);
        wide.slice_mut(s![.., ..;2]).assign(&dense);
        for device in devices() {
            let plan = Engine::new(&device)
                .unwrap()
                .plan::<i16>(&transform)
                .unwrap();
            let coefficients = plan.forward_array(&dense).unwrap();
            assert_eq!(coefficients.as_slice(), expected);
            assert_eq!(plan.forward_array(&columns).unwrap(), coefficients);
            let every_second = wide.slice(s![.., ..;2]);
            assert_eq!(plan.forward_array(&every_second).unwrap(), coefficients);
            let restored: ArrayD<i16> = plan.inverse_array(&coefficients).unwrap();
            assert_eq!(restored, dense.clone().into_dyn());

            let refused = plan.forward_array(&dense.t()).unwrap_err();
            assert!(matches!(refused, Error::Shape { .. }), "{refused}");
            assert!(
                refused
                    .to_string()
                    .contains("expected [12, 20], got [20, 12]")
            );
            let as_many = Array3::<i16>::zeros([12, 2, 10]);
            assert!(plan.forward_array(&as_many.index_axis(Axis(0), 0)).is_err());
            assert!(plan.forward_array(&as_many).is_err());

            let pixels = dense.mapv(|sample| sample as u8);
            let engine = Engine::new(&device).unwrap();
            let plan = engine.plan_from::<u8, i16>(&transform).unwrap();
            assert_eq!(plan.forward_array(&pixels).unwrap(), coefficients);
            let restored: ArrayD<u8> = plan.inverse_array(&coefficients).unwrap();
            assert_eq!(restored, pixels.into_dyn());
        }
    }

    #[cfg(feature = "rayon")]
    #[test]
    fn several_threads_change_a_band_like_one() {
        let transform = Transform::new(Wavelet::CDF_5_3, [70, 90]).levels(2);
        let mut one = counted(&transform);
        let mut several = one.clone();
        for (level, band) in transform.bands() {
            one.band_mut(level, band)
                .unwrap()
                .apply(|value| 3 * value + 1);
            let mut view = several.band_mut(level, band).unwrap();
            view.as_array_mut().par_mapv_inplace(|value| 3 * value + 1);
        }
        assert_eq!(one, several);
    }
}

#[cfg(feature = "image")]
mod pictures {
    use image::{ImageBuffer, Luma, Rgb, Rgba};
    use wavelift::picture::{from_samples, to_samples, transform};
    use wavelift::{Error, Wavelet, reference};

    #[test]
    fn pictures_come_back_as_they_were() {
        let colours: ImageBuffer<Rgb<u8>, _> =
            ImageBuffer::from_fn(5, 3, |x, y| Rgb([x as u8, y as u8, 255 - x as u8]));
        let samples = to_samples::<i16, _, _>(&colours).unwrap();
        assert_eq!(samples[..5], [0, 1, 2, 3, 4]);
        assert_eq!(samples[15..][..6], [0, 0, 0, 0, 0, 1]);
        assert_eq!(from_samples(5, 3, &samples), Ok(colours));

        let deep: ImageBuffer<Luma<u16>, _> =
            ImageBuffer::from_raw(2, 2, vec![0, 1, 65534, u16::MAX]).unwrap();
        let samples = to_samples::<i32, _, _>(&deep).unwrap();
        assert_eq!(samples, [0, 1, 65534, 65535]);
        assert_eq!(from_samples(2, 2, &samples), Ok(deep.clone()));
        // 16 bits without a sign do not fit 16 bits with one.
        assert_eq!(to_samples::<i16, _, _>(&deep).unwrap()[3], i16::MAX);

        let reals: ImageBuffer<Rgba<f32>, _> = ImageBuffer::from_raw(
            1,
            2,
            vec![0.1, -3.5, 1e9, f32::MIN_POSITIVE, 0.0, 1.0, 0.5, 2.0],
        )
        .unwrap();
        let samples = to_samples::<f64, _, _>(&reals).unwrap();
        assert_eq!(from_samples(1, 2, &samples), Ok(reals));
    }

    #[test]
    fn values_are_rounded_and_saturated() {
        let picture = |samples: &[f64]| {
            let picture = from_samples::<Luma<u8>, _>(samples.len() as u32, 1, samples);
            picture.unwrap().into_raw()
        };
        assert_eq!(picture(&[0.5, 1.5, 1.49, -0.4, 254.6]), [0, 2, 1, 0, 255]);
        let (most, nan) = (f64::INFINITY, f64::NAN);
        assert_eq!(
            picture(&[most, -most, nan, 256.0, -1.0]),
            [255, 0, 0, 255, 0]
        );
        assert!(picture(&[]).is_empty());
    }

    #[test]
    fn colours_are_a_batch() {
        let grey = image::GrayImage::new(7, 4);
        let colours = image::RgbImage::new(7, 4);
        let shape = transform(Wavelet::CDF_5_3, &grey);
        assert_eq!(
            (shape.shape(), shape.chosen_axes()),
            (&[4, 7][..], &[0, 1][..])
        );
        let shape = transform(Wavelet::CDF_5_3, &colours);
        assert_eq!(
            (shape.shape(), shape.chosen_axes()),
            (&[3, 4, 7][..], &[1, 2][..])
        );
        let samples = to_samples::<i16, _, _>(&colours).unwrap();
        assert!(reference::forward(&shape, &samples).is_ok());
    }

    #[test]
    fn the_wrong_number_of_samples_is_an_error() {
        let refused = from_samples::<Rgb<u8>, _>(2, 2, &[0f32; 4]).unwrap_err();
        let expected = 12;
        assert!(matches!(refused, Error::Length { expected: e, got: 4, .. } if e == expected));
        let huge = from_samples::<Rgb<u8>, _>(u32::MAX, u32::MAX, &[0f32; 4]);
        assert!(huge.is_err());
        assert!(from_samples::<Rgb<u8>, f32>(0, 0, &[]).is_ok());
    }
}

#[cfg(feature = "serde")]
mod plain_data {
    use serde::Serialize;
    use serde::de::DeserializeOwned;
    use serde_json::json;
    use std::fmt::Debug;
    use wavelift::{
        AxisOrder, Band, Boundary, Channel, ColumnPass, DeviceKind, Direction, Exchange, Fence,
        IntegerStep, Layout, PixelType, RealStep, RowPass, SampleType, Scale, Strategy, Transform,
        Wavelet,
    };

    fn round_trip<T: Serialize + DeserializeOwned + PartialEq + Debug>(value: &T) -> String {
        let text = serde_json::to_string(value).unwrap();
        assert_eq!(&serde_json::from_str::<T>(&text).unwrap(), value, "{text}");
        text
    }

    fn why<T: DeserializeOwned + Debug>(value: serde_json::Value) -> String {
        serde_json::from_value::<T>(value).unwrap_err().to_string()
    }

    #[test]
    fn enums_go_by_their_names() {
        fn all<T: Serialize + DeserializeOwned + PartialEq + Debug + ToString>(values: &[T]) {
            for value in values {
                assert_eq!(round_trip(value), format!("{:?}", value.to_string()));
            }
        }
        all(Boundary::ALL);
        all(Layout::ALL);
        all(SampleType::ALL);
        all(DeviceKind::ALL);
        all(Exchange::ALL);
        all(Fence::ALL);
        all(PixelType::ALL);
        all(RowPass::ALL);
        all(ColumnPass::ALL);
        all(Strategy::ALL);
        all(&Strategy::combinations().collect::<Vec<_>>());
        all(&Band::of_axes(3).collect::<Vec<_>>());
        assert_eq!(round_trip(&Channel::Approximation), r#""approximation""#);
        assert_eq!(round_trip(&Direction::Inverse), r#""inverse""#);
        assert_eq!(
            round_trip(&AxisOrder::InnermostFirst),
            r#""innermost_first""#
        );
        assert!(why::<Boundary>(json!("mirror")).contains("unknown boundary `mirror`"));
        assert!(why::<PixelType>(json!("u32")).contains("one of u8, u16"));
        assert!(why::<Fence>(json!("cl12")).contains("unknown fence `cl12`"));
        assert!(why::<Strategy>(json!("separable:x+y")).contains("four_pairs"));
        assert!(why::<Channel>(json!("low")).contains("approximation"));
    }

    fn own() -> Wavelet {
        let real = [
            RealStep::new(Channel::Detail, -1, &[-1.0 / 3.0, 0.1 + 0.2]),
            RealStep::new(Channel::Approximation, 0, &[f64::MIN_POSITIVE]),
        ];
        let scale = Scale {
            approximation: std::f64::consts::SQRT_2,
            detail: -0.7,
        };
        let integer = [IntegerStep::subtract(Channel::Detail, 0, &[3, -1], 8, 4)];
        Wavelet::real("own", &real, scale)
            .and_then(|wavelet| wavelet.with_integer_steps(&integer, 1))
            .unwrap()
            .with_boundary(Boundary::Periodic)
            .with_axis_order(AxisOrder::InnermostFirst)
    }

    #[test]
    fn wavelets_go_by_name_or_by_their_steps() {
        for wavelet in Wavelet::ALL {
            assert_eq!(round_trip(wavelet), format!("{:?}", wavelet.name()));
            // No longer the one of the table, so it is written in full.
            let changed = wavelet.clone().with_boundary(Boundary::Zero);
            assert!(round_trip(&changed).contains("steps"));
        }
        round_trip(&own());
        let integer = [IntegerStep::add(Channel::Detail, 0, &[-1], 0, 0)];
        round_trip(&Wavelet::integer("one-step", &integer, 0).unwrap());
    }

    #[test]
    fn wavelets_that_no_constructor_makes_are_refused() {
        assert!(why::<Wavelet>(json!("cdf98")).contains("expected one of cdf53"));
        assert!(why::<Wavelet>(json!(7)).contains("the name of a wavelet, or its steps"));
        assert!(why::<Wavelet>(json!({"name": "x"})).contains("neither real nor integer steps"));
        let with = |key: &str, value: serde_json::Value| {
            let mut wavelet = serde_json::to_value(own()).unwrap();
            wavelet[key] = value;
            why::<Wavelet>(wavelet)
        };
        assert!(with("name", json!("Not a name")).contains("lower-case"));
        assert!(with("nmae", json!("x")).contains("unknown field `nmae`"));
        assert!(with("real", json!({"steps": [], "scale": [1, 1]})).contains("no steps"));
        let step = json!({"target": "detail", "first": 1000, "taps": [1.0]});
        assert!(with("real", json!({"steps": [step], "scale": [1, 1]})).contains("reach"));
        let step = json!({"target": "detail", "first": 0, "taps": [1.0]});
        assert!(with("real", json!({"steps": [step], "scale": [0, 1]})).contains("scale 0"));
        let step = json!({"target": "detail", "first": 0, "taps": [1], "bias": 0, "shift": 32});
        let integer = json!({"steps": [step], "pre_shift": 0});
        assert!(with("integer", integer).contains("32 bits"));
    }

    #[test]
    fn transforms_are_read_as_they_were_written() {
        let transform = Transform::new(own(), [3, 40, 50])
            .axes([2, 1])
            .levels(4)
            .boundary(Boundary::Clamp)
            .layout(Layout::Interleaved);
        round_trip(&transform);
        let text = round_trip(&Transform::new(Wavelet::CDF_9_7, [8, 9]));
        assert_eq!(
            text,
            r#"{"wavelet":"cdf97","shape":[8,9],"axes":[0,1],"levels":1,"boundary":"symmetric","layout":"mallat"}"#
        );
        // By hand, what is left out is what `Transform::new` sets.
        let short = json!({"wavelet": "daub4", "shape": [8, 9], "levels": 3});
        let transform = serde_json::from_value::<Transform>(short).unwrap();
        assert_eq!(transform, Transform::new(Wavelet::DAUB_4, [8, 9]).levels(3));
    }

    #[test]
    fn impossible_transforms_are_refused() {
        let shape = |shape| why::<Transform>(json!({"wavelet": "haar", "shape": shape}));
        assert!(shape(json!([0, 4])).contains("got [0, 4]"));
        assert!(shape(json!([2, 2, 2, 2, 2])).contains("1 to 4 axes"));
        let with = |key: &str, value: serde_json::Value| {
            why::<Transform>(json!({"wavelet": "haar", "shape": [4, 4], key: value}))
        };
        assert!(with("axes", json!([0, 0])).contains("distinct axes"));
        assert!(with("levels", json!(65)).contains("0 to 64"));
        assert!(with("lveels", json!(3)).contains("unknown field `lveels`"));
    }
}
