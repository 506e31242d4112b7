import { expect, test } from 'vitest';
import * as z from 'zod';
import { createToolbox, defineTool } from '../../../src/tools/index.ts';
import { client, webhook } from '../../../src/tools/providers/elevenlabs.ts';
import { bland, cartesia } from '../../../src/tools/providers/http.ts';
import { retell } from '../../../src/tools/providers/retell.ts';
import { createPlatformTools } from '../../support/platform-tools.ts';

const { toolbox } = createPlatformTools();
const url = 'https://voice.test/tools';

const makers: readonly [platform: string, least: number, most: number, make: (timeoutSeconds: number) => unknown][] = [
  ['Retell', 1, 600, (timeoutSeconds) => retell.tools(toolbox, { url, timeoutSeconds })],
  ['ElevenLabs (webhook)', 5, 300, (timeoutSeconds) => webhook.tools(toolbox, { url, secretId: 's', timeoutSeconds })],
  ['ElevenLabs (client)', 1, 120, (timeoutSeconds) => client.tools(toolbox, { timeoutSeconds })],
  ['Cartesia', 1, 120, (timeoutSeconds) => cartesia.tools(toolbox, { url, token: 't', timeoutSeconds } as never)],
];

test.each(makers)('%s waits %i to %i seconds', (_platform, least, most, make) => {
  for (const seconds of [least, most]) expect(() => make(seconds)).not.toThrow();
  for (const seconds of [0, least - 0.5, most + 1, -1, Number.NaN, Number.POSITIVE_INFINITY])
    expect(() => make(seconds), String(seconds)).toThrow('timeoutSeconds');
});

const named = (name: string) =>
  createToolbox({
    tools: [
      defineTool({
        name,
        description: 'A tool.',
        parameters: z.object({}),
        effect: 'read',
        run: async () => ({ ok: 1 }),
      }),
    ],
    context: { callId: 'CA1' },
  });

test.each(['transfer_to_human', 'record_visit', 'play', 'press_button', 'on_hang'])(
  'Bland takes no tool called %s, and the error says what to do',
  (name) => {
    expect(() => bland.tools(named(name), { url, token: 't' })).toThrow(`toolbox.without('${name}')`);
  },
);

test.each(['display_invoice', 'recorder', 'add_note', 'pauses'])('Bland takes a tool called %s', (name) => {
  expect(bland.tools(named(name), { url, token: 't' })).toHaveLength(1);
});
