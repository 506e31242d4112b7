/**
 * A whole phone call against three systems that misbehave: `npm run demo [-- file.json]`. `-- --platforms stripe,intercom`
 * plays it on these platforms. With `-- --console` all recorded
 * calls are played, and a local page shows what was done for them, until Ctrl-C.
 * Exit code 1 when an expectation fails, 2 when the file is not a recorded call.
 */
import { once } from 'node:events';
import { globSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { InvalidArgumentError } from 'voice-agent-integrations';
import { checkSteps, checkSystems } from './demo/checks.ts';
import { type DemoConsole, startConsole } from './demo/console.ts';
import { type ChosenSystems, choosePlatforms } from './demo/platforms.ts';
import { play } from './demo/play.ts';
import { BrokenRecording, readRecordedCall } from './demo/recorded-call.ts';
import { startSystems } from './demo/systems.ts';
import { createTimeline, paint } from './demo/timeline.ts';

const print = (line: string) => console.log(line);

const run = async (file: string, chosen: ChosenSystems, local?: DemoConsole): Promise<number> => {
  const systems = await startSystems(readRecordedCall(file), chosen);
  const { call } = systems;
  await using _platform = systems.platform;
  const timeline = createTimeline(print);

  print(paint('bold', `${call.title} (${call.callId})`));
  for (const [name, url] of Object.entries(systems.urls)) print(paint('dim', `   ${name.padEnd(10)} ${url}`));
  const finished = await play(call, systems, timeline, local?.show);
  await local?.callEnded(call);

  print(`\n${paint('bold', 'What is there now')}`);
  const checks = [...checkSteps(timeline.steps, finished), ...(systems.isFake ? checkSystems(systems) : [])];
  for (const { what, holds } of checks) print(`   ${holds ? paint('green', '✔') : paint('red', '✘')} ${what}`);
  if (!systems.isFake) print(paint('dim', '   Look at your own servers to see what is there.'));

  const failed = checks.filter(({ holds }) => !holds).length;
  print(
    `\n${failed === 0 ? paint('green', `All ${checks.length} expectations hold.`) : paint('red', `${failed} of ${checks.length} expectations fail.`)}`,
  );
  return failed === 0 ? 0 : 1;
};

/** Plays the calls one after another, and runs until it is interrupted. */
const runWithConsole = async (files: readonly string[], chosen: ChosenSystems): Promise<number> => {
  await using local = await startConsole((line) => print(paint('bold', line)));
  const interrupted = once(process, 'SIGINT');
  let exitCode = 0;
  for (const file of files) {
    print('');
    exitCode = Math.max(exitCode, await run(file, chosen, local));
  }
  print(`\nThe console stays up until Ctrl-C: ${local.url}`);
  await interrupted;
  return exitCode;
};

const calls = new URL('./calls/', import.meta.url);
const allCalls = globSync('*.json', { cwd: calls }).toSorted().toReversed();
const inFolder = (name: string) => fileURLToPath(new URL(name, calls));
const options = { console: { type: 'boolean' }, platforms: { type: 'string' } } as const;
const { positionals, values } = parseArgs({ allowPositionals: true, options });
try {
  const chosen = choosePlatforms(values.platforms);
  process.exitCode = values.console
    ? await runWithConsole(positionals.length > 0 ? positionals : allCalls.map(inFolder), chosen)
    : await run(positionals[0] ?? inFolder('billing-question.json'), chosen);
} catch (error) {
  // The one kind names what is wrong in the file, the other also what is wrong in the environment.
  if (![BrokenRecording, InvalidArgumentError, RangeError].some((kind) => error instanceof kind)) throw error;
  if (!(error instanceof Error)) throw error;
  console.error(error.message);
  process.exitCode = 2;
}
