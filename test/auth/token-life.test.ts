import { expect, test } from 'vitest';
import { lifeOf, pauseMs } from '../../src/auth/token-credential.ts';
import fc from '../support/fast-check.ts';

test('an hour is renewed within its last minute, never used for its last seconds', () => {
  const hour = 3_600_000;
  expect(lifeOf({ lifetimeMs: hour, leftMs: hour }, { renewBeforeMs: 60_000, random: 0 })).toEqual({
    renewAfterMs: hour - 30_000,
    usableForMs: hour - 5_000,
  });
  expect(lifeOf({ lifetimeMs: hour, leftMs: hour }, { renewBeforeMs: 60_000, random: 1 })).toEqual({
    renewAfterMs: hour - 60_000,
    usableForMs: hour - 5_000,
  });
});

test('what is left of it when it is found in a store changes nothing about when it is renewed', () => {
  expect(lifeOf({ lifetimeMs: 3_600_000, leftMs: 55_000 }, { renewBeforeMs: 60_000, random: 1 })).toEqual({
    renewAfterMs: -5_000,
    usableForMs: 50_000,
  });
});

test('a token without a known end is used until it is refused', () => {
  expect(lifeOf(undefined, { renewBeforeMs: 60_000, random: 0.5 })).toEqual({
    renewAfterMs: Infinity,
    usableForMs: Infinity,
  });
});

test('whatever is said of its life: at least three quarters are used, and there is time to renew before its end', () => {
  fc.assert(
    fc.property(
      fc.double({ min: 0.001, max: 1e10, noNaN: true }),
      fc.double({ min: 0, max: 1e10, noNaN: true }),
      fc.double({ min: 0, max: 0.999, noNaN: true }),
      (expiresInMs, renewBeforeMs, random) => {
        const { renewAfterMs, usableForMs } = lifeOf(
          { lifetimeMs: expiresInMs, leftMs: expiresInMs },
          { renewBeforeMs, random },
        );
        expect(renewAfterMs).toBeGreaterThanOrEqual(expiresInMs * 0.75);
        expect(renewAfterMs).toBeLessThanOrEqual(usableForMs);
        expect(usableForMs).toBeLessThanOrEqual(expiresInMs);
      },
    ),
  );
});

test('what fails again and again is asked less and less often, up to five seconds', () => {
  expect([1, 2, 3, 4, 5, 6, 1_000].map(pauseMs)).toEqual([500, 1_000, 2_000, 4_000, 5_000, 5_000, 5_000]);
});
