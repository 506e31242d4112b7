import { randomBytes } from 'node:crypto';
import { cpSync, mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { sandboxFile, writePrivately } from '../env-file.ts';
import { version } from '../../../core/version.ts';
import { type PlatformName, platforms } from '../platforms/platforms.ts';
import { type ChoiceName, type Chosen, choices } from './choices.ts';

/** Copies one folder of templates per choice, and adds what names them. Gives the files, relative to the folder. */
export const writeStarter = async (folder: string, name: string, chosen: Chosen): Promise<readonly string[]> => {
  mkdirSync(folder, { recursive: true });
  for (const template of templatesOf(chosen)) cpSync(new URL(`${template}/`, templates()), folder, { recursive: true });
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

const templatesOf = ({ framework, model, messaging, crm, billing }: Chosen): readonly string[] => [
  'shared',
  'server',
  `frameworks/${framework}`,
  `models/${model}`,
  `messaging/${messaging}`,
  `crm/${crm}`,
  `billing/${billing}`,
];

const choiceNames = Object.keys(choices) as readonly ChoiceName[];

const manifest = (name: string, chosen: Chosen): object => {
  const all = choiceNames.map((choice) => choices[choice][chosen[choice]]);
  return {
    name,
    private: true,
    type: 'module',
    engines: { node: '>=22.18' },
    scripts: { ...scriptsOf(chosen), call: 'node --env-file=.env call.ts', doctor: 'voice-agent-integrations doctor' },
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

/** Merges files of variables: the later one wins. */
const scriptsOf = (chosen: Chosen): Readonly<Record<string, string>> => {
  const names = (['messaging', 'crm', 'billing'] as const).map((api) => `--${api} ${chosen[api]}`).join(' ');
  const sandbox = `voice-agent-integrations sandbox ${names} --write`;
  const read = `--env-file-if-exists=.env --env-file-if-exists=${sandboxFile}`;
  return {
    systems: `${sandbox} ${sandboxFile}`,
    dev: `node --watch ${read} src/server.ts`,
    start: `node ${read} src/server.ts`,
    typecheck: 'tsc',
  };
};

const secret = () => randomBytes(24).toString('base64url');

const environment = (chosen: Chosen): string =>
  [
    '# What your voice platform sends as "Authorization: Bearer …", and what the billing API signs its webhooks with.',
    `AGENT_SECRET=${secret()}`,
    `WEBHOOK_SECRET=${secret()}`,
    '',
    '# Of the model.',
    ...(choices.model[chosen.model]?.variables ?? []).map(({ name }) => `${name}=`),
    '',
    '# Your systems. While "npm run systems" runs, its own take their place.',
    ...(['messaging', 'crm', 'billing'] as const).flatMap((api) =>
      (choices[api][chosen[api]]?.variables ?? []).flatMap(({ name, holds }) => [
        ...(holds === undefined ? [] : [`# ${holds[0]?.toUpperCase()}${holds.slice(1)}:`]),
        `# ${name}=`,
      ]),
    ),
    '',
  ].join('\n');

const readme = (name: string, chosen: Chosen): string => {
  const [model] = choices.model[chosen.model]?.variables ?? [];
  return `# ${name}

A voice agent behind HTTP: ${chosen.framework}, ${chosen.model}, and [voice-agent-integrations](https://www.npmjs.com/package/voice-agent-integrations).

\`\`\`sh
npm install
npm run systems   # three systems on this machine, until Ctrl-C
npm start         # in a second terminal, with ${model?.name} in .env
npm run call      # in a third one: type what the caller says
\`\`\`

${chosen.model === 'openai' ? 'Without a key, run `npm run systems -- --model`: a script plays the model. ' : ''}Ask what you owe, and pay it. The caller is Ada, who owes two invoices.

| Where | What |
|---|---|
| \`POST /agent\` | \`{ "event": "turn", "callId", "phone", "text" }\` is answered with \`{ "text" }\`; \`{ "event": "end", "callId" }\` writes the call down. With \`Authorization: Bearer\` and \`AGENT_SECRET\` |
| \`POST /webhooks/payments\` | signed with \`WEBHOOK_SECRET\` |
| \`voice-agent.config.ts\`, \`src/messaging.ts\`, \`src/crm.ts\`, \`src/billing.ts\` | your three systems, and what phone calls may do |
| \`src/model.ts\`, \`src/instructions.ts\` | the model, and its instructions |
| \`src/phone-calls.ts\` | the phone calls that are going on |

## Your own systems

${howToGet(chosen)}Put their variables into \`.env\`, stop \`npm run systems\`, and run \`npm run doctor\`: it reads, and changes nothing.

Before real money, decide who may pay: a number that rings can be forged. \`requires\` and \`confirm\` are options of
\`tools.billing.payments\` in \`voice-agent.config.ts\`; the package's recipe "Take a payment safely" explains them.
`;
};

/** The pages that say how an account of today gives a credential. */
const howToGet = ({ messaging, crm, billing }: Chosen): string => {
  const chosen = [messaging, crm, billing].flatMap((name) => (isPlatform(name) ? [platforms[name]] : []));
  const pages = chosen.map(({ title, page }) => `[${title}](node_modules/voice-agent-integrations/docs/${page})`);
  return pages.length === 0 ? '' : `How to get a credential: ${pages.join(', ')}, *Set-up*. `;
};

const isPlatform = (name: string): name is PlatformName => Object.hasOwn(platforms, name);
