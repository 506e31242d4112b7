/** `npm run docs:cli` writes docs/cli.md from the help of the command line; a test holds that it is up to date. */
import { writeFileSync } from 'node:fs';
import { commands } from '../src/cli/commands.ts';
import { environmentVariables } from '../src/cli/environment-options.ts';
import { exitCodeRows, helpOf } from '../src/cli/help.ts';

/** Where the page stands. */
export const cliPage = new URL('../docs/cli.md', import.meta.url);

/** The page, as it has to be. */
export const writeCliPage = (): string => `${[intro, configuration, output, ...sections()].join('\n\n')}\n`;

const intro = `# Command line

<!-- Written by npm run docs:cli, from the help. -->

\`\`\`sh
npx voice-agent-integrations sandbox > .env    # three systems on this machine; Ctrl-C ends them
node --env-file=.env node_modules/.bin/voice-agent-integrations doctor
\`\`\`

It comes with the package and needs nothing beside it. Nothing that it prints holds a secret, but the test credentials
of the sandbox and the token in the address of the console, which open nothing but these.

| Command | |
|---|---|
${commands.map(({ name, summary }) => `| [\`${name}\`](#${name.replace(' ', '-')}) | ${summary} |`).join('\n')}`;

const configuration = `## Configuration

\`doctor\`, \`console\`, \`tools print\` and \`dead-letters\` read a module: the one behind \`--config\`, else
\`voice-agent.config.js\`, \`.mjs\`, \`.ts\` or \`.mts\` in this folder. It exports the options of \`createIntegration\` as its
default, and as \`queue\` the message queue, where there is one. Each may be a function, also an async one; it is called
when the command needs it. Have your application read the same module.

\`\`\`ts
import type { IntegrationOptions } from 'voice-agent-integrations';
import { bearer } from 'voice-agent-integrations/auth';
import { createSqliteMessageQueue } from 'voice-agent-integrations/stores/sqlite';

export default {
  crm: {
    baseUrl: 'https://acme.crm.example',
    authenticate: bearer(() => secrets.read('crm')),
    version: '60.0',
  },
} satisfies IntegrationOptions;

export const queue = () => createSqliteMessageQueue({ file: 'outbox.db' });
\`\`\`

Node reads TypeScript by itself from 22.18 on, and a file that it reads like this imports others with their ending.

Without a module, the environment is read; the sandbox prints it. What is not there is not checked.

| Variable | |
|---|---|
${Object.entries(environmentVariables)
  .map(([name, meaning]) => `| \`${name}\` | ${meaning} |`)
  .join('\n')}`;

const output = `## Output and exit codes

Results go to the standard output, everything else to the error output. \`--json\` prints JSON on one line instead, and an
error as \`{"error":{"exitCode","message","hint"}}\` on the error output. Colours and the line that tells what is being done
appear on a terminal only; \`NO_COLOR=1\` leaves the colours out. An error is one line with a hint; \`DEBUG=1\` adds its
stack. A reader that goes away, such as \`head\`, changes nothing but the output.

| Exit code | |
|---|---|
${exitCodeRows()
  .map(([code, meaning]) => `| ${code} | ${meaning} |`)
  .join('\n')}`;

const sections = (): readonly string[] =>
  commands.map((command) => [`## ${command.name}`, '', '```text', helpOf(command), '```'].join('\n'));

if (import.meta.main) writeFileSync(cliPage, writeCliPage());
