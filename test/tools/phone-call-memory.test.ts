import { expect, test } from 'vitest';
import { createPhoneCallMemory } from '../../src/tools/phone-call-state.ts';

test('each phone call of each tenant has its own memory, and no name of one is that of another', () => {
  let started = 0;
  const memoryOf = createPhoneCallMemory(() => (started += 1));
  const calls = [
    { tenant: undefined, callId: 'CA1' },
    { tenant: undefined, callId: 'CA2' },
    { tenant: 'a', callId: 'CA1' },
    { tenant: 'b', callId: 'CA1' },
    { tenant: '', callId: 'CA1' },
    { tenant: 'a" "b', callId: 'c' },
    { tenant: 'a', callId: '"b" c' },
  ];

  expect(calls.map(memoryOf)).toEqual([1, 2, 3, 4, 5, 6, 7]);
  expect(calls.map(memoryOf)).toEqual([1, 2, 3, 4, 5, 6, 7]);
});

test('of too many phone calls the one that was used longest ago is forgotten', () => {
  let started = 0;
  const memoryOf = createPhoneCallMemory(() => (started += 1), { maximumCalls: 2 });
  const memories = ['a', 'b', 'a', 'c', 'a', 'b'].map((callId) => memoryOf({ tenant: undefined, callId }));

  expect(memories).toEqual([1, 2, 1, 3, 1, 4]);
});
