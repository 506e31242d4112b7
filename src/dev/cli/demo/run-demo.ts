import { InvalidArgumentError } from '../../../core/errors.ts';
import { wrongUsage } from '../command-error.ts';
import type { Terminal } from '../terminal.ts';
import { type Check, checkSteps, checkSystems } from './checks.ts';
import type { DemoConsole } from './console.ts';
import { type ChosenSystems, startSystems } from './systems.ts';
import { play } from './play.ts';
import type { RecordedCall } from './recorded-call.ts';
import { createTimeline, type PlayedStep } from './timeline.ts';

/** The result of a played call. */
export interface PlayedDemo {
  readonly callId: string;
  readonly steps: readonly PlayedStep[];
  readonly checks: readonly Check[];
}

/** Plays a recorded call against three systems that misbehave, and prints it line by line. */
export const runDemo = async (
  recorded: RecordedCall,
  chosen: ChosenSystems,
  { print, paint }: Pick<Terminal, 'print' | 'paint'>,
  local?: DemoConsole,
): Promise<PlayedDemo> => {
  const systems = await startSystems(recorded, chosen);
  await using _platform = systems.platform;
  const { call, connections } = systems;
  const timeline = createTimeline({ print, paint });

  print(paint('bold', `${call.title} (${call.callId})`));
  for (const [name, { baseUrl }] of Object.entries(connections))
    print(paint('dim', `   ${name.padEnd(10)} ${baseUrl}`));
  const finished = await play(systems, timeline, local?.show).catch((error: unknown) => {
    if (!(error instanceof InvalidArgumentError)) throw error;
    throw wrongUsage(`${call.title} cannot be played: ${error.message}`);
  });
  await local?.callEnded(call);

  print(`\n${paint('bold', 'What is there now')}`);
  const checks = [...checkSteps(timeline.steps, finished), ...checkSystems(systems)];
  for (const { what, holds } of checks) print(`   ${holds ? paint('green', '✔') : paint('red', '✘')} ${what}`);
  const failed = checks.filter(({ holds }) => !holds).length;
  const all = `All ${checks.length} expectations hold.`;
  print(`\n${failed === 0 ? paint('green', all) : paint('red', `${failed} of ${checks.length} expectations fail.`)}`);
  return { callId: call.callId, steps: timeline.steps, checks };
};
