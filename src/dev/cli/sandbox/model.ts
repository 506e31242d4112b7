import { saysNo } from '../../../tools/says-no.ts';
import { createScriptedModel, type ScriptedCall, type ScriptedMoment, type ScriptedStep } from '../../testing/index.ts';

/** For agents without a key: a person at the keyboard says what they want, and the model calls the tools that fit. */
export const startModel = async () => {
  const answer = createAnswer();
  const model = createScriptedModel(Array.from({ length: mostAnswers }, () => answer));
  return {
    variables: { OPENAI_BASE_URL: `${await model.listen()}/v1`, OPENAI_API_KEY: 'test-openai-key' },
    close: model.close,
  };
};

/** More than a developer who tries things out asks for. */
const mostAnswers = 10_000;

/** Something that a caller may want. */
interface Job {
  /** The caller's words for it. */
  readonly asked: RegExp;
  /** The tools that it calls, one after the other. Each gets the answers so far; none: there is nothing to do. */
  readonly calls: readonly {
    readonly tool: string;
    readonly args?: (answers: readonly Answer[], caller: string) => object | undefined;
    /** The agent's words where there are no arguments. */
    readonly nothing?: string;
  }[];
  /** The agent's words once all is done. */
  readonly done: (answer: Answer) => string;
}

/** A tool's answer, as it's read. */
type Answer = Readonly<Record<string, string | number | boolean | readonly object[] | undefined>>;

const jobs: readonly Job[] = [
  {
    asked: /\bcancel\b.*\bappointment/i,
    calls: [
      { tool: 'list_my_appointments' },
      {
        tool: 'cancel_appointment',
        args: ([mine]) => startIn(mine, 'appointments', 'start'),
        nothing: 'You have no appointment.',
      },
    ],
    done: () => 'Your appointment is canceled.',
  },
  {
    asked: /\b(?:move|reschedule|change)\b.*\bappointment/i,
    calls: [
      { tool: 'list_my_appointments' },
      { tool: 'list_free_slots' },
      {
        tool: 'reschedule_appointment',
        args: ([mine, free]) => {
          const [from, to] = [startIn(mine, 'appointments', 'current_start'), startIn(free, 'slots', 'new_start')];
          return from && to && { ...from, ...to };
        },
        nothing: 'You have no appointment, or nothing is free.',
      },
    ],
    done: ({ start }) => `Your appointment is now at ${wordOf(start)}.`,
  },
  {
    asked: /\bappointment|\bbook\b/i,
    calls: [
      { tool: 'list_free_slots' },
      { tool: 'book_appointment', args: ([free]) => startIn(free, 'slots', 'start'), nothing: 'Nothing is free.' },
    ],
    done: ({ start }) => `You have an appointment at ${wordOf(start)}.`,
  },
  {
    asked: /\brefund|\b(?:money|payment|it) back\b/i,
    calls: [
      { tool: 'get_payment_status' },
      {
        tool: 'refund_payment',
        args: ([made]) => {
          const { id, amount } = firstIn(made, 'payments');
          return id === undefined ? undefined : { payment_id: id, amount, reason: 'goodwill' };
        },
        nothing: 'I find no payment of yours.',
      },
    ],
    done: ({ refunded, refund_pending: pending }) =>
      pending === undefined ? `You get ${wordOf(refunded)} back.` : `A refund of ${wordOf(pending)} is on its way.`,
  },
  {
    asked: /\bcode\b(?!.*\d)/i,
    calls: [{ tool: 'send_verification_code' }],
    done: ({ verified, sent_to: to }) =>
      verified === true ? 'I know who you are.' : `I sent a code to ${wordOf(to)}. Please read it out.`,
  },
  {
    asked: /^(?!.*\bpay\b).*(?:\d[\s-]?){4,}/i,
    calls: [
      { tool: 'check_verification_code', args: (_, caller) => ({ code: /(?:\d[\s-]?){4,}/.exec(caller)?.[0].trim() }) },
    ],
    done: () => 'Thank you, now I know who you are.',
  },
  {
    asked: /\bopen\b.*\bcase|\bcomplain/i,
    calls: [{ tool: 'open_case', args: (_, caller) => ({ subject: caller.slice(0, 80), description: caller }) }],
    done: ({ case_number: number }) =>
      number === undefined ? 'Your case is open.' : `Your case is ${wordOf(number)}.`,
  },
  {
    asked: /\bcase\b/i,
    calls: [{ tool: 'get_case_status' }],
    done: (answer) => {
      const { number, subject, status } = firstIn(answer, 'cases');
      return number === undefined ? 'You have no open case.' : `Case ${number}, ${subject}: ${status ?? 'open'}.`;
    },
  },
  {
    asked: /\b(?:text|message|sms|e-?mail)\b/i,
    // The first try learns the names of the templates.
    calls: [{ tool: 'send_message', args: () => ({ template: 'any' }) }],
    done: () => 'I have sent it.',
  },
];

const wordOf = (value: Answer[string]): string => (typeof value === 'object' ? JSON.stringify(value) : `${value}`);

const firstIn = (answer: Answer | undefined, list: string): Readonly<Record<string, string | number>> => {
  const found = answer?.[list];
  return Object((Array.isArray(found) ? found : [])[0]) as Readonly<Record<string, string | number>>;
};

const startIn = (answer: Answer | undefined, list: string, field: string): object | undefined => {
  const { start } = firstIn(answer, list);
  return start === undefined ? undefined : { [field]: start };
};

/** Answers in one conversation after the other. What was asked last is known until the caller says yes or no. */
const createAnswer = () => {
  const payInvoices = createPayingAnswer();
  let asked: { readonly call: ScriptedCall; readonly job: Job } | undefined;

  return (moment: ScriptedMoment): ScriptedStep => {
    const { caller, results, tools } = moment;
    if (asked && /^yes\b/i.test(caller)) {
      const { call, job } = asked;
      if (results.length === 0) return { ...call, confirmed: true };
      asked = undefined;
      return told(results.at(-1), job);
    }
    if (asked && /^no\b/i.test(caller)) {
      asked = undefined;
      return 'I leave it as it is.';
    }
    const job = jobs.find((one) => one.asked.test(caller));
    if (!job) return tools.includes('lookup_customer_invoices') ? payInvoices(moment) : 'I can’t do that here.';
    const missing = job.calls.find(({ tool }) => !tools.includes(tool));
    if (missing) return `I can’t do that here: this call has no ${missing.tool}.`;
    const template = templateIn(results);
    if (template !== undefined) return { call: 'send_message', args: { template } };
    const answers = results.map(readAnswer);
    const failed = answers.findIndex(hasFailed);
    const next = job.calls[answers.length];
    if (failed >= 0 || !next) {
      const last = job.calls[Math.min(answers.length, job.calls.length) - 1];
      const args = last?.args?.(answers.slice(0, -1), caller) ?? {};
      if (last && isQuestion(answers.at(-1))) asked = { call: { call: last.tool, args }, job };
      return told(results.at(-1), job);
    }
    const args = next.args ? next.args(answers, caller) : {};
    return args ? { call: next.tool, args } : (next.nothing ?? 'There is nothing to do.');
  };
};

/** The first template, if a first try has learned the names. */
const templateIn = (results: readonly string[]): string | undefined =>
  results.length === 1 ? /"template".*?must be one of (\w+)/.exec(results[0] ?? '')?.[1] : undefined;

const readAnswer = (result: string): Answer => {
  try {
    return Object(JSON.parse(result)) as Answer;
  } catch {
    return { message: result };
  }
};

const isQuestion = (answer: Answer | undefined): boolean => typeof answer?.['confirmation_token'] === 'string';

const hasFailed = (answer: Answer): boolean => answer['error'] !== undefined || isQuestion(answer);

/** The tool's question, its refusal in its own words, or that it's done. */
const told = (result: string | undefined, job: Job): string => {
  const answer = readAnswer(result ?? '');
  const { summary, error } = answer;
  if (isQuestion(answer) && typeof summary === 'string') return summary;
  return error === undefined ? job.done(answer) : `The tool answered: ${result}`;
};

/** Looks up what the caller owes, and charges the oldest invoice once they agree to the sum. */
const createPayingAnswer = () => {
  // The oldest one that a look-up has shown, as the model reads it.
  let invoice: { readonly id: string; readonly amount: string } | undefined;
  // The caller was asked about its sum.
  let confirmed = false;

  return ({ caller, results }: ScriptedMoment): ScriptedStep => {
    const last = results.at(-1);
    const saysYes = /^yes\b/i.test(caller);
    const pay = ({ id, amount }: NonNullable<typeof invoice>): ScriptedStep => ({
      call: 'create_payment',
      args: { invoice_id: id, amount: Number(amount) },
      confirmed,
    });
    if (!last && confirmed && saysNo(caller)) return 'All right, I will not charge it.';
    if (!last && saysYes && invoice) return pay(invoice);
    if (!last) {
      // A question of another phone call isn't this caller's.
      confirmed = false;
      return { call: 'lookup_customer_invoices' };
    }
    if (last.includes('"confirmation_number"')) return 'That is paid.';
    if (last.includes('"waiting_for_approval"')) return 'I am asking a colleague. One moment, please.';
    if (last.includes('"not_approved"')) return 'A colleague did not agree, so nothing was charged.';
    if (last.includes('"not_allowed"')) {
      invoice = undefined;
      return 'I can only say that to a caller I know.';
    }
    if (last.includes('"invoice_count":0')) {
      invoice = undefined;
      return 'You owe nothing. Goodbye.';
    }
    const [, question] = /"summary":("(?:[^"\\]|\\.)*")/.exec(last) ?? [];
    confirmed = question !== undefined;
    if (question) return JSON.parse(question);
    const [, id, amount] = /"id":"([^"]+)","amount":([\d.]+)/.exec(last) ?? [];
    if (!id || !amount) return `The tool answered: ${last}`;
    invoice = { id, amount };
    return saysYes || /\bpay\b/i.test(caller) || caller.includes(amount)
      ? pay(invoice)
      : `Your oldest invoice is ${id}, over ${amount}. Would you like to pay it?`;
  };
};
