import { BaseChatModel, type BindToolsInput } from '@langchain/core/language_models/chat_models';
import { AIMessageChunk, type BaseMessage, HumanMessage } from '@langchain/core/messages';
import type { ChatResult } from '@langchain/core/outputs';
import { convertToOpenAITool } from '@langchain/core/utils/function_calling';
import { AIMessage, createAgent, tool, ToolMessage } from 'langchain';
import { expect, onTestFinished, test, vi } from 'vitest';
import { langchain } from '../../src/tools/providers/langchain.ts';
import { createApprovedTools, createPaymentTools } from '../support/payment-tools.ts';
import { type Driven, describeTarget, type ModelCall } from './suite.ts';

/** Makes the calls turn by turn. */
class ScriptedModel extends BaseChatModel {
  readonly #turns: readonly (readonly ModelCall[])[];
  readonly told: unknown[] = [];
  #asked = 0;

  constructor(turns: readonly (readonly ModelCall[])[]) {
    super({});
    this.#turns = turns;
  }

  override _llmType() {
    return 'scripted';
  }

  override bindTools(tools: BindToolsInput[]) {
    this.told.push(tools.map((one) => convertToOpenAITool(one as Parameters<typeof convertToOpenAITool>[0])));
    return this;
  }

  override async _generate(messages: BaseMessage[]): Promise<ChatResult> {
    this.told.push(messages.map((message) => message.toDict()));
    const calls = this.#turns[this.#asked++] ?? [];
    const message = new AIMessage({
      content: calls.length > 0 ? '' : 'Done.',
      tool_calls: calls.map(({ id, name, args }) => ({ type: 'tool_call', id, name, args: args as object })),
    });
    return { generations: [{ text: '', message }] };
  }
}

describeTarget({
  name: 'LangChain',
  flagsErrors: true,
  sendsText: false,
  drive: async (toolbox, turns): Promise<Driven> => {
    const model = new ScriptedModel(turns);
    const agent = createAgent({ model, tools: langchain.tools(toolbox, { tool, ToolMessage }) });
    const { messages } = await agent.invoke({ messages: [new HumanMessage('Pay my invoice.')] });
    const results = messages.filter(ToolMessage.isInstance).map((message) => ({
      id: message.tool_call_id,
      text: String(message.content),
      isError: message.status === 'error',
    }));
    return { sent: JSON.stringify(model.told), results };
  },
});

describeTarget({
  name: 'LangChain, a loop of one’s own',
  flagsErrors: true,
  sendsText: false,
  drive: async (toolbox, turns): Promise<Driven> => {
    const model = new ScriptedModel(turns).bindTools(langchain.tools(toolbox, { tool, ToolMessage }));
    const messages: BaseMessage[] = [new HumanMessage('Pay my invoice.')];
    const results = [];
    for (;;) {
      const answer = await model.invoke(messages);
      messages.push(answer);
      const told = await langchain.runAll(toolbox, answer);
      if (told.length === 0) return { sent: JSON.stringify(model.told), results };
      messages.push(...told.map((fields) => new ToolMessage(fields)));
      results.push(
        ...told.map(({ tool_call_id, content, status }) => ({
          id: tool_call_id,
          text: content,
          isError: status === 'error',
        })),
      );
    }
  },
});

/** Streams a payment whose arguments the token limit cuts, which LangChain repairs to a whole call. */
class CutModel extends ScriptedModel {
  readonly #metadata: object;

  constructor(metadata: object) {
    super([]);
    this.#metadata = metadata;
  }

  override async _generate(messages: BaseMessage[]): Promise<ChatResult> {
    if (messages.length > 1) return super._generate(messages);
    const chunk = (args: string, more: object = {}) =>
      new AIMessageChunk({ content: '', tool_call_chunks: [{ index: 0, args, type: 'tool_call_chunk' }], ...more });
    const message = new AIMessageChunk({
      content: '',
      tool_call_chunks: [{ index: 0, id: 'call_1', name: 'pay_invoice', args: '{"invoice_id":"inv_1",' }],
    })
      .concat(chunk('"amount":12'))
      .concat(chunk('', { response_metadata: this.#metadata }));
    return { generations: [{ text: '', message }] };
  }
}

test.each([
  { finish_reason: 'length' },
  { stop_reason: 'max_tokens' },
  { finishReason: 'MAX_TOKENS' },
  { status: 'incomplete' },
  { done: true, done_reason: 'length' },
])('LangChain: a payment that the token limit cut (%o) isn’t made with half of its amount', async (metadata) => {
  const { toolbox, charges } = createPaymentTools();
  const agent = createAgent({ model: new CutModel(metadata), tools: langchain.tools(toolbox, { tool, ToolMessage }) });

  const { messages } = await agent.invoke({ messages: [new HumanMessage('Pay my invoice.')] });

  const cut = messages.find(AIMessage.isInstance);
  expect(cut?.tool_calls?.[0]?.args).toEqual({ invoice_id: 'inv_1', amount: 12 });
  expect(charges).toEqual([]);
  expect(messages.find(ToolMessage.isInstance)?.text).toContain('cut_off');
});

/** Asks for a refund, and confirms it as often as there are answers; each answer takes 10 seconds. */
class ConfirmingModel extends ScriptedModel {
  override async _generate(messages: BaseMessage[]): Promise<ChatResult> {
    vi.setSystemTime(Date.now() + 10_000);
    const last = messages.at(-1);
    const [, confirmation_token] = /"confirmation_token":"([^"]+)"/.exec(messages.map(({ text }) => text).join()) ?? [];
    const isAsked = HumanMessage.isInstance(last) || (confirmation_token && messages.length < 4);
    const call = { type: 'tool_call', id: `call_${messages.length}`, name: 'refund' } as const;
    const tool_calls = isAsked ? [{ ...call, args: { amount: 5, confirmation_token } }] : [];
    return { generations: [{ text: '', message: new AIMessage({ content: 'Shall I?', tool_calls }) }] };
  }
}

test('LangChain: a model that confirms in the same answer is refused, after the next words it isn’t', async () => {
  const tools = createApprovedTools('two-step');
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const agent = createAgent({
    model: new ConfirmingModel([]),
    tools: langchain.tools(tools.toolbox, { tool, ToolMessage }),
  });

  const first = await agent.invoke({ messages: [new HumanMessage('Give me my money back.')] });
  expect([first.messages.map(({ type }) => type), tools.refunds]).toEqual([
    ['human', 'ai', 'tool', 'ai', 'tool', 'ai'],
    [],
  ]);
  const tokens = first.messages.filter(ToolMessage.isInstance).map(({ text }) => text);
  expect(tokens[1]).toContain('caller_has_not_answered');
  const asked = first.messages.slice(0, 1).concat(first.messages.slice(3));
  await agent.invoke({ messages: [...asked, new HumanMessage('Yes.')] });

  expect(tools.refunds).toEqual([5]);
});
