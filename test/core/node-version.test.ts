import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { createIntegration } from '../../src/index.ts';
import { nodeProblem } from '../../src/core/node-version.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const run = promisify(execFile);

const onNode = (node: string) => ({ process: { release: { name: 'node' }, versions: { node } } });

afterEach(() => {
  vi.unstubAllGlobals();
});

test('the oldest Node is that of package.json', () => {
  const { engines } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
    readonly engines: { readonly node: string };
  };

  expect(nodeProblem(onNode('20.20.2'))).toBe(
    `voice-agent-integrations needs Node ${engines.node.replace('>=', '')} or newer, and this is Node 20.20.2`,
  );
});

test.each(['22.13.0', '22.13.1', '22.18.0', '23.0.0', '24.21.0', '100.0.0', '25.0.0-nightly2026'])(
  'Node %s is new enough',
  (version) => {
    expect(nodeProblem(onNode(version))).toBeUndefined();
  },
);

test.each(['0.10.48', '16.20.2', '18.20.8', '20.20.2', '21.7.3', '22.0.0', '22.9.0', '22.12.0'])(
  'Node %s is too old',
  (version) => {
    expect(nodeProblem(onNode(version))).toContain(`this is Node ${version}`);
  },
);

test.each([
  ['Bun', { ...onNode('20.20.2'), Bun: {} }],
  ['Deno', { ...onNode('20.11.1'), Deno: {} }],
  ['Workers', { ...onNode('20.0.0'), WebSocketPair: () => {} }],
  ['an edge function', { ...onNode('18.0.0'), EdgeRuntime: 'edge-runtime' }],
  ['a process of another name', { process: { release: { name: 'llrt' }, versions: { node: '0.1.0' } } }],
  ['a process without versions', { process: {} }],
  ['a version that is no number', onNode('next')],
  ['a page, which has no process', {}],
])('%s is never too old', (_, runtime) => {
  expect(nodeProblem(runtime)).toBeUndefined();
});

describe('on a Node that is too old', () => {
  test('createIntegration throws one sentence, before it looks at the options', () => {
    vi.stubGlobal('process', { ...process, ...onNode('20.20.2').process });

    expect(() => createIntegration({})).toThrow(/^voice-agent-integrations needs Node .* and this is Node 20\.20\.2$/);
  });

  test.each([[['demo']], [['create', 'agent']], [['--version']], [[]]])(
    'the command line %j says so, and ends',
    async (words) => {
      const older = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.20.2' } })`;
      const from = ['--import', './scripts/from-source.js', '--import', `data:text/javascript,${older}`];
      const ended = await run(process.execPath, [...from, 'src/dev/cli/main.ts', ...words], { cwd: root }).catch(
        (error: unknown) => error,
      );

      expect(ended).toMatchObject({
        code: 3,
        stdout: '',
        stderr: expect.stringMatching(/^voice-agent-integrations needs Node .* and this is Node 20\.20\.2\n$/),
      });
    },
  );
});
