/**
 * Google Gemini: `generateContent` and the Live API. Gemini has no strict mode, and may send calls without an id.
 *
 * @module
 */
import { withoutUndefined } from '../../core/without-undefined.ts';
import { ignoreErrors } from '../../observability/ignore-errors.ts';
import { mergeContexts, type ToolCallContext, type ToolResult } from '../context.ts';
import { toOpenApi } from '../dialects.ts';
import type { ToolInfo } from '../tool.ts';
import { toolboxOf, type WithTools } from '../with-tools.ts';
import { createHeardConversation, type HeardConversation } from './has-answered.ts';
import { createCallRunner, createMessageRunner, isErrorResult } from './target.ts';

/** A function call as Gemini sends it; it may have no id. */
interface FunctionCall {
  readonly id?: string;
  readonly name?: string;
  readonly args?: object;
}

/** The part of an answer that is read. */
interface Answer {
  readonly functionCalls?: readonly FunctionCall[] | undefined;
  readonly candidates?: readonly { readonly finishReason?: string | undefined }[] | undefined;
}

/**
 * `models.generateContent` and chats. `runAll` gives one content with all results, `undefined` for an answer without
 * function calls. Calls of an answer that the token limit cut aren't run.
 *
 * @example
 * const config = { tools: generateContent.tools(toolbox) };
 * const response = await ai.models.generateContent({ model, contents, config });
 * const results = await generateContent.runAll(toolbox, response);
 * if (results) contents.push(response.candidates[0].content, results);
 */
export const generateContent = {
  /** For `config.tools`. */
  tools: (from: WithTools) => [
    { functionDeclarations: toolboxOf(from, 'generateContent.tools').tools().map(toDeclaration) },
  ],

  ...createMessageRunner({
    readCall: (call: FunctionCall) => readCall(call),
    toResult: (call, result) => ({ functionResponse: toFunctionResponse(call, result) }),
    callsIn: ({ functionCalls = [] }: Answer) => functionCalls,
    finishReasonOf: ({ candidates }) => candidates?.[0]?.finishReason,
    toReply: (parts) => (parts.length > 0 ? { role: 'user' as const, parts } : undefined),
  }),

  /** For `config.tools: [generateContent.callable(toolbox)]`: the package then runs the tools itself. */
  callable: (from: WithTools, { context }: { readonly context?: ToolCallContext } = {}) => ({
    tool: async () => ({
      functionDeclarations: toolboxOf(from, 'generateContent.callable').tools().map(toDeclaration),
    }),
    callTool: (calls: readonly FunctionCall[]) =>
      Promise.all(calls.map((call) => generateContent.run(toolboxOf(from), call, context))),
  }),
};

/** Says if a model of the Live API waits for a tool. */
export interface LiveOptions<Behavior extends string> {
  /**
   * `Behavior.NON_BLOCKING` of `@google/genai` lets the model talk on during a look-up. Writes and payments always make
   * it wait, so that it does not speak of what has not happened yet.
   */
  readonly readBehavior?: Behavior | undefined;
}

/** A tool as the Live API takes it. */
type LiveDeclaration<Behavior> = ReturnType<typeof toDeclaration> & { behavior?: Behavior };

/** The way to a session of the Live API, and the context of every run. */
export interface LiveConnection {
  /** Sends results, such as `(responses) => session.sendToolResponse(responses)`. */
  readonly send: (responses: { functionResponses: FunctionResponse[] }) => void;
  /** The context of every run; the id of the tool call is added. */
  readonly context?: ToolCallContext;
}

/** The part of a message of the server that is read. */
interface LiveMessage {
  readonly toolCall?: { readonly functionCalls?: readonly FunctionCall[] };
  readonly toolCallCancellation?: { readonly ids?: readonly string[] };
  readonly serverContent?: ServerContent;
}

/** The words of the model and of the caller. They have no certain order: the caller's may come late. */
interface ServerContent {
  readonly modelTurn?: { readonly parts?: readonly { readonly text?: string; readonly inlineData?: object }[] };
  readonly outputTranscription?: { readonly text?: string };
  readonly inputTranscription?: { readonly text?: string };
  readonly interrupted?: boolean;
  readonly turnComplete?: boolean;
}

/**
 * The Live API. `connect` does all of it; `run` gives one of the `functionResponses` to send.
 *
 * @example
 * const receive = live.connect(phoneCall.tools, { send: (responses) => session.sendToolResponse(responses) });
 * const config = { tools: live.tools(phoneCall.tools) };
 * const session = await ai.live.connect({ model, config, callbacks: { onmessage: receive } });
 */
export const live = {
  /** For `config.tools` of `live.connect`. */
  tools: <Behavior extends string = never>(from: WithTools, { readBehavior }: LiveOptions<Behavior> = {}) => [
    {
      functionDeclarations: toolboxOf(from, 'live.tools')
        .tools()
        .map(
          (tool): LiveDeclaration<Behavior> =>
            readBehavior && tool.effect === 'read'
              ? { ...toDeclaration(tool), behavior: readBehavior }
              : toDeclaration(tool),
        ),
    },
  ],

  ...createCallRunner({
    readCall: (call: FunctionCall) => readCall(call),
    toResult: (call, result) => toFunctionResponse(call, result),
  }),

  /**
   * Makes the function that takes each message of one session. It runs the calls and sends each result as soon as it's
   * there. A call that is delivered twice runs once. What the API cancels is taken back. Functions that the toolbox doesn't have
   * are the application's to answer. A cancelled call gets no response; a payment that was already sent goes on, see
   * `onSettled` of the context. It never rejects.
   */
  connect: (from: WithTools, { send, context = {} }: LiveConnection): ((message: LiveMessage) => Promise<void>) => {
    const toolbox = toolboxOf(from, 'live.connect');
    const calls = new Map<string, AbortController>();
    const turns = createLiveTurns();

    const runOnce = async (call: FunctionCall): Promise<readonly FunctionResponse[]> => {
      const cancellation = new AbortController();
      if (call.id !== undefined) {
        if (calls.has(call.id)) return [];
        calls.set(call.id, cancellation);
      }
      const own = { ...turns.context(), signal: cancellation.signal };
      const response = await live.run(toolbox, call, mergeContexts(context, own));
      if (cancellation.signal.aborted) return [];
      turns.answered(response);
      return [response];
    };

    const answer = async (together: readonly FunctionCall[]) => {
      const responses = (await Promise.all(together.map(runOnce))).flat();
      // The person may have hung up in the meantime: a session that is closed needs no response.
      if (responses.length > 0) ignoreErrors(() => send({ functionResponses: responses }));
    };

    return async ({ toolCall, toolCallCancellation, serverContent }) => {
      if (serverContent) turns.take(serverContent);
      for (const id of toolCallCancellation?.ids ?? []) calls.get(id)?.abort();
      const ours = (toolCall?.functionCalls ?? []).filter(({ name = '' }) => toolbox.find(name));
      // Without ids, only their order says which response belongs to which call.
      const [named, nameless] = [ours.filter(hasId), ours.filter((call) => !hasId(call))];
      await Promise.all([...named.map((call) => answer([call])), answer(nameless)]);
    };
  },
};

/** The caller's words count as an answer once the model has ended its own. */
const createLiveTurns = () => {
  const { add, hasAnswered }: HeardConversation = createHeardConversation();
  let exchange: string | undefined;
  let isSpeaking = false;
  const end = () => {
    if (isSpeaking) {
      add('agent', 'It has spoken.');
      exchange = crypto.randomUUID();
    }
    isSpeaking = false;
  };
  return {
    context: (): ToolCallContext => ({
      exchange,
      // The words may come after the call that they led to.
      hasAnswered: (token) => hasAnswered(token) || undefined,
    }),
    answered: ({ response }: FunctionResponse) => add('tool', JSON.stringify(response)),
    take: ({ modelTurn, outputTranscription, inputTranscription, interrupted, turnComplete }: ServerContent) => {
      exchange ??= crypto.randomUUID();
      if (interrupted) end();
      if (outputTranscription?.text || modelTurn?.parts?.some(({ text, inlineData }) => text || inlineData))
        isSpeaking = true;
      if (inputTranscription?.text) add('caller', inputTranscription.text);
      if (turnComplete) end();
    },
  };
};

const hasId = ({ id }: FunctionCall) => id !== undefined;

const readCall = ({ id, name = '', args }: FunctionCall) => ({ name, args, toolCallId: id });

/** Left out for a tool without parameters: `parameters`, a `Schema` of the API. */
const toDeclaration = ({
  name,
  description,
  parameters,
}: ToolInfo): { name: string; description: string; parameters?: object } => {
  const schema = toOpenApi(parameters);
  return schema ? { name, description, parameters: schema } : { name, description };
};

/** The id where the call has one; else the name is what they are matched by. */
const toFunctionResponse = ({ id, name }: FunctionCall, result: ToolResult): FunctionResponse =>
  withoutUndefined({
    id,
    name,
    response: isErrorResult(result) ? { error: result.value } : { output: result.value },
  });

/** The result of one call, as Gemini takes it. */
interface FunctionResponse {
  id?: string;
  name?: string;
  response: Record<string, unknown>;
}
