import { expect, test } from 'vitest';
import { bearer } from '../../src/auth/index.ts';
import { createIntegration } from '../../src/index.ts';
import type { Calendar } from '../../src/tools/index.ts';
import { toPortable, toStrict } from '../../src/tools/dialects.ts';

const connection = { baseUrl: 'https://example.com', authenticate: bearer(() => '') };
const calendar: Calendar = {
  timeZone: 'Europe/Berlin',
  freeSlots: async () => [],
  find: async () => undefined,
  book: async () => undefined,
};
const { startPhoneCall } = createIntegration({
  messaging: { ...connection, platform: 'Acme', version: '1.0', adminId: 'admin' },
  crm: { ...connection, version: '60.0' },
  billing: { ...connection, version: 'in-base-url' },
  payments: { below: 5000, confirm: false },
});
const { tools: toolbox } = startPhoneCall({
  callId: 'CA1',
  direction: 'inbound',
  tools: {
    call: {
      teams: { Billing: 'team_1' },
      ticketTypeId: '1',
      caseStatus: true,
      calendar,
      transfer: { moveCall: () => true, whenUnavailable: 'A colleague calls back.' },
    },
  },
  payments: { card: 'from-model', confirm: 'two-step' },
});
const tools = toolbox.tools().map((tool) => [tool.name, tool] as const);

test('there are all tools', () => {
  expect(tools.map(([name]) => name)).toHaveLength(16);
});

test.each(tools)('every parameter of %s says what it is', (_name, { parameters }) => {
  const silent = Object.entries(toPortable(parameters).properties).filter(
    ([, schema]) => !('description' in schema && String(schema.description).length > 5),
  );

  expect(silent.map(([field]) => field)).toEqual([]);
});

/** All the others must be given. */
const withOptional = tools.filter(
  ([, { parameters }]) => Object.keys(parameters.properties).length > parameters.required.length,
);

test.each(withOptional)('in strict mode, what %s can do without says null', (_name, { parameters }) => {
  const { properties } = toStrict(parameters);
  const optional = Object.entries(properties).filter(([field]) => !parameters.required.includes(field));

  expect(optional.filter(([, schema]) => !JSON.stringify(schema).includes('"null"'))).toEqual([]);
  expect(JSON.stringify(properties)).not.toMatch(/leave (?:it )?out/i);
});
