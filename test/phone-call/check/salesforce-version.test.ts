import { expect, test } from 'vitest';
import { offeredFinding } from '../../../src/phone-call/check/salesforce-version.ts';

test.each([
  ['60.0', ['58.0', '60.0', '64.0'], 'ok', 'version 60.0 is served; the newest is 64.0'],
  ['40.0', ['40.0', '64.0'], 'warning', 'version 40.0 ends in Summer ’28'],
  ['65.0', ['58.0', '9.0'], 'problem', 'the org does not serve version 65.0'],
])('%s of %j: %s', (version, offered, level, message) => {
  expect(offeredFinding(version, offered)).toMatchObject({ level, check: 'version', message });
});
