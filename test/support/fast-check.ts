import fc from 'fast-check';

/** Each run tries the same values, so that no test fails on some days only. `FAST_CHECK_SEED` tries others. */
fc.configureGlobal({ seed: Number(process.env.FAST_CHECK_SEED ?? 2026) });

export default fc;
