/**
 * Plays twenty short phone calls with a model, and prints a scorecard: `npm run example evals`. It asks any server that
 * speaks OpenAI's Chat Completions, with OPENAI_API_KEY, OPENAI_BASE_URL and OPENAI_MODEL. Without a key, a script
 * answers in place of the model. `npm run example evals declined` plays the calls whose name holds that word.
 */
import { evalCalls } from './evals/calls.ts';
import { play } from './evals/play.ts';

const wanted = process.argv[2] ?? '';
const chosen = evalCalls.filter(({ name }) => name.includes(wanted));
let passed = 0;
for (const call of chosen) {
  const { failed, said } = await play(call);
  if (failed.length === 0) passed += 1;
  console.log(`${failed.length === 0 ? '✔' : '✘'} ${call.name}`);
  for (const reason of failed) console.log(`    ${reason}`);
  if (failed.length > 0) console.log(`    the agent said: ${said.replaceAll('\n', ' / ')}`);
}
console.log(`\n${passed} of ${chosen.length} calls`);
if (passed < chosen.length) process.exitCode = 1;
