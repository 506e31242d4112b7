import { randomBytes } from 'node:crypto';
import { cpSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { sandboxFile, writePrivately } from '../env-file.ts';
import { version } from '../../../core/version.ts';
import { type PlatformName, platforms } from '../platforms/platforms.ts';
import { type Choice, type Chosen, choices, isLiveKit } from './choices.ts';
import { withDeclaration, withValues } from './join-parts.ts';
import { steps } from './steps.ts';

/** Copies one part of the templates per choice, and adds what names them. Returns the files, relative to the folder. */
export const writeStarter = async (folder: string, name: string, chosen: Chosen): Promise<readonly string[]> => {
  mkdirSync(folder, { recursive: true });
  for (const template of foldersOf(chosen)) cpSync(new URL(`${template}/`, templates()), folder, { recursive: true });
  const change = (file: string, by: (code: string) => string) =>
    writeFileSync(join(folder, file), by(readFileSync(join(folder, file), 'utf8')));
  change('voice-agent.config.ts', (code) => withValues(code, systemsOf(chosen).map(part)));
  change(isLiveKit(chosen) ? 'src/agent.ts' : 'src/model.ts', (code) =>
    withDeclaration(code, { from: './instructions.ts', part: part('models/instructions.ts') }),
  );
  // npm keeps a file of the usual name out of a package.
  renameSync(join(folder, 'gitignore'), join(folder, '.gitignore'));
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest(name, chosen), undefined, 2)}\n`);
  writePrivately(join(folder, '.env'), environment(chosen));
  writeFileSync(join(folder, 'README.md'), readme(name, chosen));
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .toSorted();
};

/** Next to package.json, wherever this file is bundled to. */
const templates = (): URL =>
  new URL('templates/', pathToFileURL(createRequire(import.meta.url).resolve('voice-agent-integrations/package.json')));

const part = (file: string): string => readFileSync(new URL(file, templates()), 'utf8');

const foldersOf = (chosen: Chosen): readonly string[] => {
  const { framework, model, billing } = chosen;
  const server = isLiveKit(chosen) ? [] : ['server', `models/${model}`, `webhooks/${billing}`];
  return ['shared', `frameworks/${framework}`, ...server];
};

/** The parts of the configuration. */
const systemsOf = (chosen: Chosen): readonly string[] => apis.map((api) => `${api}/${chosen[api]}.ts`);

const apis = ['messaging', 'crm', 'billing'] as const;

const manifest = (name: string, chosen: Chosen): object => {
  // LiveKit has a package of its own for the model.
  const named = isLiveKit(chosen) ? (['framework', ...apis] as const) : (['framework', 'model', ...apis] as const);
  const all = named.map((choice) => choices[choice][chosen[choice]]);
  return {
    name,
    private: true,
    type: 'module',
    engines: { node: '>=22.18' },
    scripts: scriptsOf(chosen),
    dependencies: sorted({
      ...Object.assign({}, ...all.map((choice) => choice?.packages)),
      'voice-agent-integrations': `^${version}`,
      zod: '^4.3.0',
    }),
    devDependencies: sorted(Object.assign({}, ...all.map((choice) => choice?.devPackages))),
  };
};

const sorted = (packages: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(packages).toSorted(([one], [other]) => (one < other ? -1 : 1)));

const scriptsOf = (chosen: Chosen): Readonly<Record<string, string>> => {
  const names = apis.map((api) => `--${api} ${chosen[api]}`).join(' ');
  // Merges files of variables: the later one wins.
  const node = `node --env-file-if-exists=.env --env-file-if-exists=${sandboxFile}`;
  const own = isLiveKit(chosen)
    ? { start: `${node} src/agent.ts start`, dev: `${node} src/agent.ts dev`, call: `${node} call.ts` }
    : {
        start: `${node} src/server.ts`,
        dev: `${node} --watch src/server.ts`,
        call: 'node --env-file=.env call.ts',
      };
  return {
    systems: `voice-agent-integrations sandbox ${names} --write ${sandboxFile}`,
    ...own,
    typecheck: 'tsc',
    doctor: 'voice-agent-integrations doctor',
  };
};

const secret = () => randomBytes(24).toString('base64url');

const environment = (chosen: Chosen): string =>
  [
    ...(isLiveKit(chosen)
      ? ["# Of LiveKit's server. `npm run call` needs none.", ...named(choices.framework[chosen.framework])]
      : [
          '# What your voice platform sends as "Authorization: Bearer …", and what the billing API signs its webhooks with.',
          `AGENT_SECRET=${secret()}`,
          `WEBHOOK_SECRET=${secret()}`,
        ]),
    '',
    '# Of the model.',
    ...named(choices.model[chosen.model]),
    '',
    '# Your systems. While "npm run systems" runs, its own take their place.',
    ...apis.flatMap((api) =>
      (choices[api][chosen[api]]?.variables ?? []).flatMap(({ name, holds }) => [
        ...(holds === undefined ? [] : [`# ${holds[0]?.toUpperCase()}${holds.slice(1)}:`]),
        `# ${name}=`,
      ]),
    ),
    '',
  ].join('\n');

const named = (choice: Choice | undefined): readonly string[] =>
  (choice?.variables ?? []).map(({ name }) => `${name}=`);

const readme = (name: string, chosen: Chosen): string => `# ${name}

A voice agent ${isLiveKit(chosen) ? 'on LiveKit Agents, with OpenAI' : `behind HTTP: ${chosen.framework}, ${chosen.model}`}, and [voice-agent-integrations](https://www.npmjs.com/package/voice-agent-integrations).

\`\`\`sh
${steps(chosen)
  .map(({ command, says }) => (says === '' ? command : `${command.padEnd(17)} # ${says}`))
  .join('\n')}
\`\`\`

${chosen.model === 'openai' ? 'Without a key, run `npm run systems -- --model`: a script plays the model. ' : ''}Ask what you owe, and pay it. The caller is Ada, who owes two invoices.

| Where | What |
|---|---|
${(isLiveKit(chosen) ? rowsOfLiveKit : rowsOfServer).join('\n')}
| \`voice-agent.config.ts\` | your three systems, and what phone calls may do |
| \`src/explain.ts\` | says what is wrong when it starts |

## Your own systems

${howToGet(chosen)}Put their variables into \`.env\`, stop \`npm run systems\`, and run \`npm run doctor\`: it reads, and changes nothing.

Before real money, decide who may pay: a number that rings can be forged. \`requires\` and \`confirm\` are options of
\`payments\` in \`voice-agent.config.ts\`; the package's recipe "Take a payment safely" explains them.
${isLiveKit(chosen) ? realCalls : ''}`;

const rowsOfServer = [
  '| `POST /agent` | `{ "event": "turn", "callId", "phone", "text" }` is answered with `{ "text" }`; `{ "event": "end", "callId" }` stores the call, which is then written down. With `Authorization: Bearer` and `AGENT_SECRET` |',
  '| `POST /webhooks/payments` | signed with `WEBHOOK_SECRET` |',
  '| `src/calls.ts`, `src/server.ts` | the phone calls that are going on, and their server |',
  '| `src/model.ts` | the model, and its instructions |',
];

const rowsOfLiveKit = [
  '| `src/agent.ts` | the agent, its model and its instructions |',
  '| `call.ts` | a phone call in writing, without LiveKit |',
];

const realCalls = `
## Real calls

Put \`LIVEKIT_URL\`, \`LIVEKIT_API_KEY\` and \`LIVEKIT_API_SECRET\` of your project into \`.env\`, run \`npm start\`, and name the agent
\`telephone\` in a dispatch rule of the [SIP trunk](https://docs.livekit.io/telephony/).
`;

/** The pages that say how an account of today gives a credential. */
const howToGet = (chosen: Chosen): string => {
  const found = apis.flatMap((api) => (isPlatform(chosen[api]) ? [platforms[chosen[api]]] : []));
  const pages = found.map(({ title, page }) => `[${title}](node_modules/voice-agent-integrations/docs/${page})`);
  return pages.length === 0 ? '' : `How to get a credential: ${pages.join(', ')}, *Set-up*. `;
};

const isPlatform = (name: string): name is PlatformName => Object.hasOwn(platforms, name);
