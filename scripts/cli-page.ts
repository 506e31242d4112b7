/** `npm run docs:cli` writes docs/cli.md from the help of the command line; a test holds that it is up to date. */
import { writeFileSync } from 'node:fs';
import { commands } from '../src/dev/cli/commands.ts';
import { environmentVariables } from '../src/dev/cli/environment-options.ts';
import { exitCodeRows, helpOf } from '../src/dev/cli/help.ts';

/** The tasks of the commands, and the beginnings of their names. */
const tasks: Readonly<Record<string, readonly string[]>> = {
  Try: ['demo', 'sandbox'],
  Start: ['create', 'init'],
  Check: ['doctor', 'tools print', 'webhooks'],
  Operate: ['console', 'tools serve', 'dead-letters'],
};

const byTask = Object.entries(tasks).map(([task, names]) => ({
  task,
  commands: names.flatMap((first) => commands.filter(({ name }) => name.startsWith(first))),
}));

/** Where the page is. */
export const cliPage = new URL('../docs/cli.md', import.meta.url);

/** The page, as it has to be. */
export const writeCliPage = (): string => `${[intro, configuration, output, ...sections()].join('\n\n')}\n`;

const intro = `# Command line

<!-- Written by npm run docs:cli, from the help. -->

\`\`\`sh
npx voice-agent-integrations sandbox --write .env.sandbox    # three systems on this machine; Ctrl-C ends them
npx voice-agent-integrations doctor                              # in a second terminal
\`\`\`

It comes with the package. It prints no secrets, except the sandbox's test credentials and the console's token.

| To | Command | |
|---|---|---|
${byTask
  .flatMap(({ task, commands }) =>
    commands.map(({ name, summary }) => `| ${task} | [\`${name}\`](#${name.replace(' ', '-')}) | ${summary} |`),
  )
  .join('\n')}`;

const configuration = `## Configuration

\`doctor\`, \`console\`, \`tools print\` and \`dead-letters\` read a module: the one of \`--config\`, else
\`voice-agent.config.js\`, \`.mjs\`, \`.ts\` or \`.mts\` in this folder. Its default export holds the options of \`createIntegration\`, and
\`queue\` your message queue. Each may be a function, also an async one. Let your application use the same module.

\`\`\`ts
import type { IntegrationOptions } from 'voice-agent-integrations';
import { bearer, fromEnv } from 'voice-agent-integrations/auth';
import { sqlite } from 'voice-agent-integrations/stores/sqlite';

export default {
  crm: {
    baseUrl: 'https://acme.crm.example',
    authenticate: bearer(fromEnv('CRM_TOKEN')),
    version: '60.0',
  },
} satisfies IntegrationOptions;

export const queue = () => sqlite({ file: 'outbox.db' }).messageQueue();
\`\`\`

A TypeScript module needs Node 22.18 and imports with file endings.

Without a module, these variables are read. The sandbox prints them. They come from the environment, else from the file of
\`--env-file\`, else from \`.env\`, and from \`.env.sandbox\` if nothing else names an API.

| Variable | |
|---|---|
${Object.entries(environmentVariables)
  .map(([name, meaning]) => `| \`${name}\` | ${meaning} |`)
  .join('\n')}`;

const output = `## Output and exit codes

Every command has \`--json\`, \`--help\` (\`-h\`) and \`--env-file\`; \`help COMMAND\` is the same as \`COMMAND --help\`. Results go to the standard output, everything else to the error output. \`--json\` prints JSON on one line instead, and an
error as \`{"error":{"exitCode","message","hint"}}\` on the error output. Colours and progress appear on a terminal only;
\`NO_COLOR=1\` turns colours off. An error is one line with a hint; \`DEBUG=1\` adds its stack.

| Exit code | |
|---|---|
${exitCodeRows()
  .map(([code, meaning]) => `| ${code} | ${meaning} |`)
  .join('\n')}`;

const sections = (): readonly string[] =>
  byTask.flatMap(({ task, commands }) => [
    `## ${task}`,
    ...commands.map((command) =>
      [`### ${command.name}`, '', '```text', withoutShared(helpOf(command)), '```'].join('\n'),
    ),
  ]);

/** The shared options are the same everywhere; the page says them once. */
const withoutShared = (help: string): string => help.replaceAll(/^ {2}--(?:json|help|env-file FILE +Read) .*\n/gm, '');

if (import.meta.main) writeFileSync(cliPage, writeCliPage());
