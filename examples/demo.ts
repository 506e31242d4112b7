/**
 * A whole phone call against three systems that misbehave: `npm run demo [-- file.json]`.
 * Exit code 1 when an expectation fails, 2 when the file is not a recorded call.
 */
import { fileURLToPath } from 'node:url';
import { isInvalidArgumentError } from 'voice-agent-integrations';
import { checkSteps, checkSystems } from './demo/checks.ts';
import { play } from './demo/play.ts';
import { BrokenRecording, readRecordedCall } from './demo/recorded-call.ts';
import { startSystems } from './demo/systems.ts';
import { createTimeline, paint } from './demo/timeline.ts';

const print = (line: string) => console.log(line);

const run = async (file: string): Promise<number> => {
  const call = readRecordedCall(file);
  const systems = await startSystems(call);
  await using _platform = systems.platform;
  const timeline = createTimeline(print);

  print(paint('bold', `${call.title} (${call.callId})`));
  for (const [name, url] of Object.entries(systems.urls)) print(paint('dim', `   ${name.padEnd(10)} ${url}`));
  const finished = await play(call, systems, timeline);

  print(`\n${paint('bold', 'What stands there now')}`);
  const checks = [
    ...checkSteps(timeline.steps, finished),
    ...(systems.isFake ? checkSystems(call, systems.platform) : []),
  ];
  for (const { what, holds } of checks) print(`   ${holds ? paint('green', '✔') : paint('red', '✘')} ${what}`);
  if (!systems.isFake) print(paint('dim', '   What stands on servers of your own is for you to look at.'));

  const failed = checks.filter(({ holds }) => !holds).length;
  print(
    `\n${failed === 0 ? paint('green', `All ${checks.length} expectations hold.`) : paint('red', `${failed} of ${checks.length} expectations fail.`)}`,
  );
  return failed === 0 ? 0 : 1;
};

const [file = fileURLToPath(new URL('./calls/billing-question.json', import.meta.url))] = process.argv.slice(2);
try {
  process.exitCode = await run(file);
} catch (error) {
  // The one kind names what is wrong in the file, the other also what is wrong in the environment.
  if (!(error instanceof BrokenRecording) && !isInvalidArgumentError(error)) throw error;
  console.error(error.message);
  process.exitCode = 2;
}
