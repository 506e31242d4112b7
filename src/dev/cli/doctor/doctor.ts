import type { Command } from '../command.ts';
import { configOption, loadConfiguration } from '../configuration.ts';
import { exitCodes } from '../exit-codes.ts';
import { type Checked, isDown } from '../../../phone-call/check/findings.ts';
import type { Terminal } from '../terminal.ts';

export const doctor: Command = {
  name: 'doctor',
  summary: 'Check the configuration against the APIs, and say what to fix.',
  options: {
    ...configOption,
    strict: { help: 'Warnings end with 1 too' },
  },
  details: [
    'Checks the versions of packages next to this one; the options; whether each API and credential works; what the credential may read; the pinned version; what these requests use that its platform ends within half a year; the clock; missing limits; how safe queue and stores are, and what waits there. It searches for ids that do not exist and writes nothing, except a key in the store that it removes. It does not try what the credential may write: see docs/credentials.md, Least permissions.',
    'Ends with 1 when there is a problem, and when an API, a store or the queue does not answer. What is found is also what `integration.check()` finds when your server starts.',
  ],
  examples: [
    {
      command: 'npx voice-agent-integrations doctor',
      says: 'With voice-agent.config.js, or the environment',
    },
    { command: 'npx voice-agent-integrations doctor --config config/production.js --json', says: 'In a pipeline' },
  ],
  run: async (given, terminal) => {
    const configuration = await loadConfiguration(given, terminal);
    const isJson = given.flag('json');
    if (!isJson) terminal.print(terminal.paint('bold', `Checking ${configuration.source}`));
    const { diagnose } = await import('./diagnose.ts');
    const findings = await diagnose(configuration, {
      cwd: terminal.cwd,
      signal: terminal.signal,
      onStart: (about) => terminal.progress(`Checking ${about} …`),
      onFinding: (finding) => {
        if (!isJson) printFinding(finding, terminal);
      },
    });
    const problems = findings.filter(({ level }) => level === 'problem').length;
    const warnings = findings.filter(({ level }) => level === 'warning').length;
    const isComplete = !findings.some(isDown);
    const isOk = problems === 0 && isComplete && (warnings === 0 || !given.flag('strict'));
    if (isJson) terminal.print(JSON.stringify({ ok: isOk, configuration: configuration.source, findings }));
    else
      terminal.print(
        `\n${counted(problems, 'problem')}, ${counted(warnings, 'warning')}${isComplete ? '' : ': not everything could be checked'}.`,
      );
    return isOk ? exitCodes.ok : exitCodes.problems;
  },
};

const marks = { ok: '✔', warning: '!', problem: '✘' } as const;
const colours = { ok: 'green', warning: 'yellow', problem: 'red' } as const;

const printFinding = ({ level, about, message, fix }: Checked, { print, paint }: Terminal): void => {
  print(`${paint(colours[level], marks[level])} ${about}: ${message}`);
  if (fix !== undefined) print(`    fix: ${fix}`);
};

const counted = (count: number, what: string): string =>
  `${count === 0 ? 'No' : count} ${what}${count === 1 ? '' : 's'}`;
