import { BedrockRuntimeClient, ConverseCommand, type Message } from '@aws-sdk/client-bedrock-runtime';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { bedrock } from '../../src/tools/providers/bedrock.ts';
import { startScriptedServer } from './scripted-server.ts';
import { type Driven, describeTarget, type ModelCall, type ModelResult } from './suite.ts';

const answer = (calls: readonly ModelCall[]) => ({
  output: {
    message: {
      role: 'assistant',
      content:
        calls.length > 0
          ? calls.map(({ id, name, args }) => ({ toolUse: { toolUseId: id, name, input: args } }))
          : [{ text: 'Done.' }],
    },
  },
  stopReason: calls.length > 0 ? 'tool_use' : 'end_turn',
  usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
  metrics: { latencyMs: 1 },
});

const resultsIn = (body: unknown): ModelResult[] =>
  (body as { messages: Message[] }).messages
    .flatMap(({ content = [] }) => content)
    .flatMap(({ toolResult }) =>
      toolResult
        ? [
            {
              id: toolResult.toolUseId ?? '',
              text: toolResult.content?.[0]?.text ?? '',
              isError: toolResult.status === 'error',
            },
          ]
        : [],
    );

describeTarget({
  name: 'AWS Bedrock Converse',
  flagsErrors: true,
  sendsText: false,
  drive: async (toolbox, turns): Promise<Driven> => {
    await using server = await startScriptedServer(turns, answer);
    const client = new BedrockRuntimeClient({
      endpoint: server.baseUrl,
      region: 'eu-central-1',
      credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
      // The default speaks HTTP/2.
      requestHandler: new NodeHttpHandler(),
      maxAttempts: 1,
    });
    const messages: Message[] = [{ role: 'user', content: [{ text: 'Pay my invoice.' }] }];
    for (;;) {
      const command = new ConverseCommand({ modelId: 'scripted', messages, toolConfig: bedrock.tools(toolbox) });
      const answer = await client.send(command);
      messages.push(answer.output!.message!);
      const results = await bedrock.runAll(toolbox, answer);
      if (!results) return { sent: server.sent(), results: resultsIn(server.requests.at(-1)?.body) };
      messages.push(results);
    }
  },
});
