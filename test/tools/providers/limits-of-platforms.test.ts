import { expect, test } from 'vitest';
import { client, webhook } from '../../../src/tools/providers/elevenlabs.ts';
import { retell } from '../../../src/tools/providers/retell.ts';
import { createPlatformTools } from '../../support/platform-tools.ts';

const { toolbox } = createPlatformTools();
const url = 'https://voice.test/tools';

const makers: readonly [platform: string, least: number, most: number, make: (timeoutSeconds: number) => unknown][] = [
  ['Retell', 1, 600, (timeoutSeconds) => retell.tools(toolbox, { url, timeoutSeconds })],
  ['ElevenLabs (webhook)', 5, 300, (timeoutSeconds) => webhook.tools(toolbox, { url, secretId: 's', timeoutSeconds })],
  ['ElevenLabs (client)', 1, 120, (timeoutSeconds) => client.tools(toolbox, { timeoutSeconds })],
];

test.each(makers)('%s waits %i to %i seconds', (_platform, least, most, make) => {
  for (const seconds of [least, most]) expect(() => make(seconds)).not.toThrow();
  for (const seconds of [0, least - 0.5, most + 1, -1, Number.NaN, Number.POSITIVE_INFINITY])
    expect(() => make(seconds), String(seconds)).toThrow('timeoutSeconds');
});
