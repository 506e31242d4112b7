/** The wire formats of models that a scripted model reads and writes. */

/** What a request says of the conversation, in its order. */
export type Line = { readonly caller: string } | { readonly agent: string } | { readonly result: string };

export interface ModelToolCall {
  readonly id: string;
  readonly name: string;
  readonly args: object;
}

/** Either words or tool calls. */
export type ModelAnswer = { readonly says: string } | { readonly calls: readonly ModelToolCall[] };

export interface ModelFormat {
  /** How its address ends. */
  readonly path: RegExp;
  readonly conversation: (body: Fields) => readonly Line[];
  readonly offered: (body: Fields) => readonly string[];
  readonly answer: (answer: ModelAnswer) => object;
  /** The whole stream, where this format has one. */
  readonly stream?: (answer: ModelAnswer) => string;
}

/** JSON that a vendor's package wrote: anything may be in it. */
type Fields = Readonly<Record<string, unknown>>;

const fieldsOf = (value: unknown): Fields => Object(value) as Fields;
const listOf = (value: unknown): readonly Fields[] => (Array.isArray(value) ? value.map(fieldsOf) : []);

/** A text, or the texts of a list of blocks. */
const textIn = (content: unknown): string =>
  typeof content === 'string'
    ? content
    : listOf(content)
        .map(({ text }) => (typeof text === 'string' ? text : ''))
        .join('');

const namesIn = (tools: readonly Fields[]): readonly string[] => tools.map(({ name }) => String(name));

const spoken = (role: unknown, content: unknown): readonly Line[] => {
  const words = textIn(content);
  if (words === '') return [];
  if (role === 'user') return [{ caller: words }];
  return role === 'assistant' || role === 'model' ? [{ agent: words }] : [];
};

const noTokens = { input_tokens: 0, output_tokens: 0 };

const chatMessage = (answer: ModelAnswer) =>
  'says' in answer
    ? { role: 'assistant', content: answer.says, refusal: null }
    : {
        role: 'assistant',
        content: null,
        refusal: null,
        tool_calls: answer.calls.map(({ id, name, args }, index) => ({
          index,
          id,
          type: 'function',
          function: { name, arguments: JSON.stringify(args) },
        })),
      };

const chatEnd = (answer: ModelAnswer) => ('says' in answer ? 'stop' : 'tool_calls');

const chatCompletions: ModelFormat = {
  path: /\/chat\/completions$/,
  conversation: ({ messages }) =>
    listOf(messages).flatMap(({ role, content }) =>
      role === 'tool' ? [{ result: textIn(content) }] : spoken(role, content),
    ),
  offered: ({ tools }) => namesIn(listOf(tools).map((tool) => fieldsOf(tool['function']))),
  answer: (answer) => ({
    id: 'chatcmpl_scripted',
    object: 'chat.completion',
    created: 0,
    model: 'scripted',
    choices: [{ index: 0, finish_reason: chatEnd(answer), message: chatMessage(answer) }],
    usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 },
  }),
  stream: (answer) =>
    [
      { index: 0, delta: chatMessage(answer), finish_reason: null },
      { index: 0, delta: {}, finish_reason: chatEnd(answer) },
    ]
      .map((choice) => ({
        id: 'chatcmpl_scripted',
        object: 'chat.completion.chunk',
        created: 0,
        model: 'scripted',
        choices: [choice],
      }))
      .map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`)
      .join('')
      .concat('data: [DONE]\n\n'),
};

const responses: ModelFormat = {
  path: /\/responses$/,
  conversation: ({ input }) =>
    typeof input === 'string'
      ? [{ caller: input }]
      : listOf(input).flatMap(({ type, role, content, output }) =>
          type === 'function_call_output' ? [{ result: textIn(output) }] : spoken(role, content),
        ),
  offered: ({ tools }) => namesIn(listOf(tools)),
  answer: (answer) => ({
    id: 'resp_scripted',
    object: 'response',
    created_at: 0,
    status: 'completed',
    model: 'scripted',
    output:
      'says' in answer
        ? [
            {
              id: 'msg_scripted',
              type: 'message',
              role: 'assistant',
              status: 'completed',
              content: [{ type: 'output_text', text: answer.says, annotations: [] }],
            },
          ]
        : answer.calls.map(({ id, name, args }) => ({
            id: `fc_${id}`,
            type: 'function_call',
            status: 'completed',
            call_id: id,
            name,
            arguments: JSON.stringify(args),
          })),
    usage: { ...noTokens, total_tokens: 0 },
  }),
};

const anthropicMessages: ModelFormat = {
  path: /\/messages$/,
  conversation: ({ messages }) =>
    listOf(messages).flatMap(({ role, content }) => {
      const results = listOf(content).filter(({ type }) => type === 'tool_result');
      return results.length > 0
        ? results.map((block) => ({ result: textIn(block['content']) }))
        : spoken(role, content);
    }),
  offered: ({ tools }) => namesIn(listOf(tools)),
  answer: (answer) => ({
    id: 'msg_scripted',
    type: 'message',
    role: 'assistant',
    model: 'scripted',
    stop_reason: 'says' in answer ? 'end_turn' : 'tool_use',
    stop_sequence: null,
    content:
      'says' in answer
        ? [{ type: 'text', text: answer.says }]
        : answer.calls.map(({ id, name, args }) => ({ type: 'tool_use', id, name, input: args })),
    usage: noTokens,
  }),
};

const generateContent: ModelFormat = {
  path: /:generateContent$/,
  conversation: ({ contents }) =>
    listOf(contents).flatMap(({ role, parts }) =>
      listOf(parts).flatMap(({ text, functionResponse }) =>
        functionResponse
          ? [{ result: JSON.stringify(fieldsOf(functionResponse)['response']) }]
          : spoken(role, typeof text === 'string' ? text : ''),
      ),
    ),
  offered: ({ tools }) => namesIn(listOf(tools).flatMap((tool) => listOf(tool['functionDeclarations']))),
  answer: (answer) => ({
    candidates: [
      {
        index: 0,
        finishReason: 'STOP',
        content: {
          role: 'model',
          parts:
            'says' in answer
              ? [{ text: answer.says }]
              : answer.calls.map(({ id, name, args }) => ({ functionCall: { id, name, args } })),
        },
      },
    ],
    usageMetadata: { totalTokenCount: 0 },
  }),
};

/** Chat Completions and Responses of OpenAI, Messages of Anthropic, generateContent of Gemini. */
export const modelFormats: readonly ModelFormat[] = [chatCompletions, responses, anthropicMessages, generateContent];
