import { expect, test } from 'vitest';
import { createLimitCounter } from '../../src/tools/limits.ts';

const times = <Value>(count: number, run: () => Value) => Array.from({ length: count }, run);

test('a phone call may run a hundred tools and thirty writes, unless the options say otherwise', () => {
  const usual = createLimitCounter({});
  const strict = createLimitCounter({ toolCalls: 1, writes: 2 });

  expect(times(100, usual.countToolCall).concat(times(30, usual.countWrite))).toEqual(times(130, () => undefined));
  expect([usual.countToolCall(), usual.countWrite()]).toEqual(['too_many_tool_calls', 'too_many_writes']);
  expect(times(2, strict.countToolCall)).toEqual([undefined, 'too_many_tool_calls']);
  expect(times(3, strict.countWrite)).toEqual([undefined, undefined, 'too_many_writes']);
});

test('payments stay below their total, each counted once until it was certainly not made', () => {
  const { countPayment, uncountPayment } = createLimitCounter({ perCall: 0.301 });

  expect([countPayment('a', 0.1), countPayment('b', 0.2), countPayment('a', 0.1)]).toEqual(times(3, () => undefined));
  expect(countPayment('c', 0.01)).toBe('payment_limit_reached');
  uncountPayment('b');
  expect([countPayment('c', 0.2), countPayment('d', 0.01)]).toEqual([undefined, 'payment_limit_reached']);
});

test('a payment that was refused for the total was not counted', () => {
  const { countPayment } = createLimitCounter({ perCall: 10 });

  expect([countPayment('a', 10), countPayment('b', 9.99)]).toEqual(['payment_limit_reached', undefined]);
});

test('an amount without sense makes no room, and no number fills it', () => {
  const { countPayment } = createLimitCounter({ perCall: 10 });

  expect([countPayment('a', -100), countPayment('b', Number.NaN), countPayment('c', 11)]).toEqual([
    undefined,
    'payment_limit_reached',
    'payment_limit_reached',
  ]);
});
