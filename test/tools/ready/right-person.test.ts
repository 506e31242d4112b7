import { expect, test } from 'vitest';
import { isVerified, type ToolCaller } from '../../../src/tools/context.ts';
import { otherPersonProblem, personToFind, verifiedCaller } from '../../../src/tools/ready/right-person.ts';

const caller: ToolCaller = { phone: '+14155550100', email: 'Ada@example.com', verified: 'caller-id' };
const strong: ToolCaller = { ...caller, verified: 'strong' };
const otherPhone = { field: 'phone', problem: 'must be the number of the caller: leave it out, or use null' };
const otherEmail = { field: 'email', problem: 'must be the address of the caller: leave it out, or use null' };

test.each([
  [{}, undefined],
  [{ phone: '', email: null }, undefined],
  [{ phone: '+14155550100', email: 'ada@EXAMPLE.com' }, undefined],
  [{ phone: '+14155550101' }, otherPhone],
  [{ phone: '+14155550101', email: 'bob@example.com' }, otherPhone],
  [{ phone: '+14155550100', email: 'bob@example.com' }, otherEmail],
])(
  'looking for %o is refused unless it is the caller, or allowed, or the caller has proved who they are',
  (details, problem) => {
    expect(otherPersonProblem(details, caller, 'caller')).toEqual(problem);
    expect(otherPersonProblem(details, caller, 'anyone')).toBeUndefined();
    expect(otherPersonProblem(details, strong, 'caller')).toBeUndefined();
  },
);

test('a caller of whom nothing is known may look no one up', () => {
  const unidentified: ToolCaller = { verified: 'no' };

  expect(otherPersonProblem({ phone: '+14155550100' }, unidentified, 'caller')).toEqual({
    field: 'phone',
    problem: "can't be checked: no number was transmitted. Leave it out, or offer a colleague",
  });
  expect(otherPersonProblem({ email: 'ada@example.com' }, unidentified, 'caller')).toEqual(otherEmail);
});

test('what a caller only said does not count, unless that is allowed or they proved who they are', () => {
  const claimed = ['email'] as const;

  expect(verifiedCaller({ ...caller, claimed }, 'caller')).toEqual({ ...caller, email: undefined, claimed });
  expect(verifiedCaller({ ...caller, claimed }, 'anyone')).toEqual({ ...caller, claimed });
  expect(verifiedCaller({ ...strong, claimed }, 'caller')).toEqual({ ...strong, claimed });
  expect(verifiedCaller(caller, 'caller')).toBe(caller);
});

test.each([
  [{}, { phone: '+14155550100', email: 'Ada@example.com' }],
  [
    { phone: '', email: null },
    { phone: '+14155550100', email: 'Ada@example.com' },
  ],
  [{ phone: '+1' }, { phone: '+1', email: undefined }],
  [
    { phone: null, email: 'b@c.d' },
    { phone: undefined, email: 'b@c.d' },
  ],
  [
    { phone: '+1', email: 'b@c.d' },
    { phone: '+1', email: 'b@c.d' },
  ],
])('the arguments %o look for %o', (details, person) => {
  expect(personToFind(details, { caller })).toStrictEqual(person);
});

test('each verification is as good as itself and the weaker ones', () => {
  const levels = ['no', 'caller-id', 'strong'] as const;

  expect(levels.map((verified) => levels.map((needed) => isVerified({ verified }, needed)))).toEqual([
    [true, false, false],
    [true, true, false],
    [true, true, true],
  ]);
});
