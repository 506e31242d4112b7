import { type Served, serve } from './serve.ts';

/** A model behind HTTP that gives these messages of OpenAI's chat completions, one a request. */
export const serveModel = (script: object[]): Promise<Served> =>
  serve(async () => Response.json({ choices: [{ message: script.shift() }] }));

export const callTool = (name: string, args: object): object => ({
  role: 'assistant',
  content: null,
  tool_calls: [{ id: name, type: 'function', function: { name, arguments: JSON.stringify(args) } }],
});

export const say = (content: string): object => ({ role: 'assistant', content });
