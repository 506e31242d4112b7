/** The wire formats of models that a scripted model reads and writes. */

/** The conversation in a request, in its order. */
export type Line = { readonly caller: string } | { readonly agent: string } | { readonly result: string };

export interface ModelToolCall {
  readonly id: string;
  readonly name: string;
  readonly args: object;
}

/** Either words or tool calls. */
export type ModelAnswer = { readonly says: string } | { readonly calls: readonly ModelToolCall[] };

/** The answer of the next step, or why there is none. */
export type NextAnswer = ModelAnswer | { readonly refusal: string };

export interface ModelFormat {
  /** The end of its address. */
  readonly path: RegExp;
  readonly conversation: (body: Fields) => readonly Line[];
  readonly offered: (body: Fields) => readonly string[];
  readonly answer: (answer: ModelAnswer) => object;
  /** The whole stream, where this format has one. */
  readonly stream?: (answer: ModelAnswer) => string;
  /** The end of the address of a stream. @defaultValue the request says `stream` */
  readonly streamPath?: RegExp;
}

/** JSON that a vendor's package wrote: anything may be in it. */
export type Fields = Readonly<Record<string, unknown>>;

export const fieldsOf = (value: unknown): Fields => Object(value) as Fields;
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

/** One event of a stream. */
const dataLine = (data: object) => `data: ${JSON.stringify(data)}\n\n`;

interface StreamEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}

const typedEvents = (events: readonly StreamEvent[]) =>
  events.map((event) => `event: ${event.type}\n${dataLine(event)}`).join('');

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
      .map(dataLine)
      .join('')
      .concat('data: [DONE]\n\n'),
};

const response = (status: 'in_progress' | 'completed', output: readonly object[]) => ({
  id: 'resp_scripted',
  object: 'response',
  created_at: 0,
  status,
  model: 'scripted',
  output,
  usage: { ...noTokens, total_tokens: 0 },
});

const responseItems = (answer: ModelAnswer) =>
  'says' in answer
    ? [
        {
          id: 'msg_scripted',
          type: 'message',
          role: 'assistant',
          status: 'completed',
          content: [{ type: 'output_text', text: answer.says, annotations: [] }],
        } as const,
      ]
    : answer.calls.map(
        ({ id, name, args }) =>
          ({
            id: `fc_${id}`,
            type: 'function_call',
            status: 'completed',
            call_id: id,
            name,
            arguments: JSON.stringify(args),
          }) as const,
      );

const responseItemEvents = (
  item: ReturnType<typeof responseItems>[number],
  output_index: number,
): readonly StreamEvent[] => {
  const place = { output_index, item_id: item.id };
  const started = { ...item, status: 'in_progress' };
  const added = { type: 'response.output_item.added', output_index };
  const done = { type: 'response.output_item.done', output_index, item };
  if (item.type === 'function_call')
    return [
      { ...added, item: { ...started, arguments: '' } },
      { type: 'response.function_call_arguments.delta', ...place, delta: item.arguments },
      { type: 'response.function_call_arguments.done', ...place, name: item.name, arguments: item.arguments },
      done,
    ];
  const [part] = item.content;
  const inPart = { ...place, content_index: 0 };
  return [
    { ...added, item: { ...started, content: [] } },
    { type: 'response.content_part.added', ...inPart, part: { ...part, text: '' } },
    { type: 'response.output_text.delta', ...inPart, delta: part.text, logprobs: [] },
    { type: 'response.output_text.done', ...inPart, text: part.text, logprobs: [] },
    { type: 'response.content_part.done', ...inPart, part },
    done,
  ];
};

export const responses: ModelFormat = {
  path: /\/responses$/,
  conversation: ({ input }) =>
    typeof input === 'string'
      ? [{ caller: input }]
      : listOf(input).flatMap(({ type, role, content, output }) =>
          type === 'function_call_output' ? [{ result: textIn(output) }] : spoken(role, content),
        ),
  offered: ({ tools }) => namesIn(listOf(tools)),
  answer: (answer) => response('completed', responseItems(answer)),
  stream: (answer) => {
    const items = responseItems(answer);
    const events: readonly StreamEvent[] = [
      { type: 'response.created', response: response('in_progress', []) },
      ...items.flatMap((item, output_index) => responseItemEvents(item, output_index)),
      { type: 'response.completed', response: response('completed', items) },
    ];
    return typedEvents(events.map((event, sequence_number) => ({ ...event, sequence_number })));
  },
};

const message = (answer: ModelAnswer) => ({
  id: 'msg_scripted',
  type: 'message',
  role: 'assistant',
  model: 'scripted',
  stop_reason: 'says' in answer ? 'end_turn' : 'tool_use',
  stop_sequence: null,
  content:
    'says' in answer
      ? [{ type: 'text', text: answer.says } as const]
      : answer.calls.map(({ id, name, args }) => ({ type: 'tool_use', id, name, input: args }) as const),
  usage: noTokens,
});

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
  answer: (answer) => message(answer),
  stream: (answer) =>
    typedEvents([
      { type: 'message_start', message: { ...message(answer), content: [], stop_reason: null } },
      ...message(answer).content.flatMap((block, index) => [
        {
          type: 'content_block_start',
          index,
          content_block: block.type === 'text' ? { ...block, text: '' } : { ...block, input: {} },
        },
        {
          type: 'content_block_delta',
          index,
          delta:
            block.type === 'text'
              ? { type: 'text_delta', text: block.text }
              : { type: 'input_json_delta', partial_json: JSON.stringify(block.input) },
        },
        { type: 'content_block_stop', index },
      ]),
      {
        type: 'message_delta',
        delta: { stop_reason: message(answer).stop_reason, stop_sequence: null },
        usage: noTokens,
      },
      { type: 'message_stop' },
    ]),
};

const candidates = (answer: ModelAnswer) => ({
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
});

const generateContent: ModelFormat = {
  path: /:(generateContent|streamGenerateContent)$/,
  streamPath: /:streamGenerateContent$/,
  conversation: ({ contents }) =>
    listOf(contents).flatMap(({ role, parts }) =>
      listOf(parts).flatMap(({ text, functionResponse }) =>
        functionResponse
          ? [{ result: JSON.stringify(fieldsOf(functionResponse)['response']) }]
          : spoken(role, typeof text === 'string' ? text : ''),
      ),
    ),
  offered: ({ tools }) => namesIn(listOf(tools).flatMap((tool) => listOf(tool['functionDeclarations']))),
  answer: candidates,
  stream: (answer) => dataLine(candidates(answer)),
};

const converse: ModelFormat = {
  path: /\/converse$/,
  conversation: ({ messages }) =>
    listOf(messages).flatMap(({ role, content }) =>
      listOf(content).flatMap(({ text, toolResult }) =>
        toolResult
          ? listOf(fieldsOf(toolResult)['content']).map((block) => ({
              result: typeof block['text'] === 'string' ? block['text'] : JSON.stringify(block['json']),
            }))
          : spoken(role, typeof text === 'string' ? text : ''),
      ),
    ),
  offered: ({ toolConfig }) => namesIn(listOf(fieldsOf(toolConfig)['tools']).map((tool) => fieldsOf(tool['toolSpec']))),
  answer: (answer) => ({
    output: {
      message: {
        role: 'assistant',
        content:
          'says' in answer
            ? [{ text: answer.says }]
            : answer.calls.map(({ id, name, args }) => ({ toolUse: { toolUseId: id, name, input: args } })),
      },
    },
    stopReason: 'says' in answer ? 'end_turn' : 'tool_use',
    usage: { inputTokens: 0, outputTokens: 0, totalTokens: 0 },
    metrics: { latencyMs: 0 },
  }),
};

/** Chat Completions and Responses of OpenAI, Messages of Anthropic, generateContent of Gemini, Converse of Bedrock. */
export const modelFormats: readonly ModelFormat[] = [
  chatCompletions,
  responses,
  anthropicMessages,
  generateContent,
  converse,
];
