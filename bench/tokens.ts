import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { chat } from 'voice-agent-integrations/tools/openai';
import { allTools, realisticAnswers, startAnsweredPhoneCall } from '../test/support/answered-phone-call.ts';

/** One answer of an API, and what a model gets of it; in tokens of o200k. */
export interface CountedAnswer {
  readonly answer: string;
  readonly tool: string;
  readonly before: number;
  readonly after: number;
}

export interface CountedDefinitions {
  readonly count: number;
  readonly neutral: number;
  readonly strict: number;
}

/** Runs the real tools over systems that answer from memory. */
export const countAnswers = async (): Promise<readonly CountedAnswer[]> => {
  const answers = realisticAnswers();
  const { contacts, conversation, leads, invoices } = answers;
  const tools = startAnsweredPhoneCall(answers);
  const count = async (answer: string, json: object, tool: string, args: object): Promise<CountedAnswer> => {
    const { text } = await tools.run(tool, args, { conversationIds: ['215468823'] });
    return { answer, tool, before: countTokens(JSON.stringify(json)), after: countTokens(text) };
  };
  return [
    await count('search with 5 contacts', contacts, 'identify_caller', {}),
    await count('the same', contacts, 'get_caller_context', {}),
    await count('conversation with 12 parts', conversation, 'add_note', { text: 'Call back.' }),
    await count('search with 10 leads', leads, 'qualify_lead', { company: 'Northwind Bakery' }),
    await count('20 open invoices', invoices, 'lookup_customer_invoices', {}),
  ];
};

export const countDefinitions = (): CountedDefinitions => {
  const toolbox = startAnsweredPhoneCall(undefined, allTools);
  const definitions = toolbox.tools().map(({ name, description, parameters }) => ({ name, description, parameters }));
  return {
    count: definitions.length,
    neutral: countTokens(JSON.stringify(definitions)),
    strict: countTokens(JSON.stringify(chat.tools(toolbox))),
  };
};
