/**
 * Plays short phone calls that go wrong with a model, and prints a scorecard: `npm run example evals`. It asks any server
 * that speaks OpenAI's Chat Completions, with OPENAI_API_KEY, OPENAI_BASE_URL and OPENAI_MODEL. Without a key, a script
 * answers in place of the model. `npm run example evals declined` plays the calls whose name holds that word.
 */
import { evalCalls, playCalls } from 'voice-agent-integrations/testing';
import { openaiAgent } from './evals/openai-agent.ts';

const wanted = process.argv[2] ?? '';
const chosen = evalCalls.filter(({ name }) => name.includes(wanted));
const { passed, text } = await playCalls(openaiAgent, chosen);
console.log(text);
if (passed < chosen.length) process.exitCode = 1;
