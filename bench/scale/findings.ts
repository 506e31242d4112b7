import { table } from '../report.ts';
import { lineChart } from './chart.ts';
import { type Finding, milliseconds, percent, type Size, times } from './finding.ts';
import { type LanesResult, simulateLanes } from './lanes.ts';
import { outageFromMs, type OutageOptions, type OutageResult, outageUntilMs, simulateOutage } from './outage.ts';
import { type QueueingOptions, type QueueingResult, simulateQueueing } from './queueing.ts';
import { type RedisAwayOptions, simulateRedisAway } from './redis-away.ts';
import { percentile } from './tally.ts';

/** All simulations, one after the other. */
export const findingsOf = async (size: Size): Promise<readonly Finding[]> => [
  await queueing(size),
  await outage(size),
  await lanes(size),
  await redisAway(size),
];

const inTurn = async <Item, Result>(items: readonly Item[], work: (item: Item) => Promise<Result>) => {
  const results: Result[] = [];
  for (const item of items) results.push(await work(item));
  return results;
};

const queueing = async (size: Size): Promise<Finding> => {
  const onTen = (phoneCalls: number): QueueingOptions => ({ phoneCalls, processes: 10, limit: 1_000, minutes: 4 });
  const sweep = await inTurn(
    (size === 'whole' ? [250, 500, 750, 850, 900, 950, 1_000, 1_050, 1_100, 1_250, 1_500, 2_000] : [900, 1_100]).map(
      onTen,
    ),
    simulateQueueing,
  );
  const others = await inTurn<QueueingOptions, QueueingResult>(
    size === 'whole'
      ? [
          { phoneCalls: 900, processes: 1, limit: 1_000, minutes: 4 },
          { phoneCalls: 900, processes: 100, limit: 1_000, minutes: 4 },
          { phoneCalls: 900, processes: 1_000, limit: 1_000, minutes: 4 },
          { phoneCalls: 2_000, processes: 100, limit: 1_000, minutes: 4 },
          { phoneCalls: 10_000, processes: 10, limit: 11_000, minutes: 2 },
          { phoneCalls: 10_000, processes: 1_000, limit: 11_000, minutes: 2 },
        ]
      : [{ phoneCalls: 900, processes: 100, limit: 1_000, minutes: 2 }],
    simulateQueueing,
  );
  const all = [...sweep, ...others];
  return {
    title: 'Queueing at one shared limit',
    text: table(
      [
        'phone calls',
        'processes',
        'limit per minute',
        'p50 of a turn, ms',
        'p99, ms',
        'turns without an answer',
        'they take, p99, ms',
        'most in a sliding minute',
        'commands to Redis per request',
        'per second',
      ],
      all.map((result) => [
        result.phoneCalls.toLocaleString('en'),
        result.processes.toLocaleString('en'),
        result.limit.toLocaleString('en'),
        milliseconds(result.p50Ms),
        milliseconds(result.p99Ms),
        percent(result.failedShare),
        milliseconds(result.failedP99Ms),
        result.mostPerMinute.toLocaleString('en'),
        times(result.commandsPerRequest),
        milliseconds(result.commandsPerSecond),
      ]),
    ),
    charts: [
      {
        file: 'scale-queueing.svg',
        svg: lineChart({
          title: 'A turn under one limit of 1,000 requests per minute, ten processes',
          x: {
            name: 'phone calls at once, each asking once a minute',
            ticks: [250, 500, 750, 1_000, 1_250, 1_500, 2_000],
          },
          y: { name: 'ms', ticks: [0, 2_000, 4_000, 6_000, 8_000] },
          series: [
            { name: 'p50 of answered turns', points: sweep.map(({ phoneCalls, p50Ms }) => [phoneCalls, p50Ms]) },
            { name: 'p99 of answered turns', points: sweep.map(({ phoneCalls, p99Ms }) => [phoneCalls, p99Ms]) },
          ],
        }),
      },
    ],
    bounds: [
      {
        what: 'requests in any sliding minute, as the API counts them, over the limit',
        found: Math.max(...all.map(({ mostPerMinute, limit }) => mostPerMinute / limit)),
        atMost: 1,
      },
      {
        what: 'p99 of a turn at nine tenths of the limit, in ms',
        found: Math.max(...all.filter(({ phoneCalls }) => phoneCalls === 900).map(({ p99Ms }) => p99Ms)),
        atMost: 500,
      },
    ],
  };
};

const outage = async (size: Size): Promise<Finding> => {
  const phoneCalls = size === 'whole' ? 2_000 : 1_000;
  const base: OutageOptions = { phoneCalls, processes: phoneCalls / 100, outage: 'failing', variant: 'delivered' };
  const silent = { ...base, outage: 'silent' } as const;
  const delivered = await simulateOutage(base);
  const naive = await simulateOutage({ ...base, variant: 'naive' });
  const deliveredSilent = await simulateOutage(silent);
  const naiveSilent = await simulateOutage({ ...silent, variant: 'naive' });
  const others = await inTurn<OutageOptions, OutageResult>(
    size === 'whole'
      ? [
          { ...base, phoneCalls: 10_000, processes: 10 },
          { ...base, phoneCalls: 10_000, processes: 1_000 },
          { ...base, phoneCalls: 10_000, processes: 1_000, circuit: { minimumVolume: 3 } },
        ]
      : [],
    simulateOutage,
  );
  const ours = [delivered, deliveredSilent, ...others];
  return {
    title: 'An API that is down for a minute',
    text: table(
      [
        'client',
        'phone calls',
        'processes',
        'the API',
        'load during it',
        'worst second of it',
        'worst second after it',
        'answers as before after, s',
        'turns without an answer take, p50, ms',
        'p99, ms',
      ],
      [delivered, naive, deliveredSilent, naiveSilent, ...others].map((result) => {
        const failed = result.turns
          .filter(({ isAnswered, startedAt }) => !isAnswered && startedAt > outageFromMs && startedAt < outageUntilMs)
          .map(({ tookMs }) => tookMs);
        return [
          result.circuit === undefined ? result.variant : `${result.variant}, \`minimumVolume: 3\``,
          result.phoneCalls.toLocaleString('en'),
          result.processes.toLocaleString('en'),
          result.outage,
          times(result.duringOutage),
          times(result.peakDuring),
          times(result.peakAfter),
          Number.isFinite(result.recoveredAfterSeconds) ? result.recoveredAfterSeconds : 'not within 60',
          milliseconds(percentile(failed, 0.5)),
          milliseconds(percentile(failed, 0.99)),
        ];
      }),
    ),
    charts: [
      outageChart('scale-outage.svg', 'Requests that arrive at an API that answers 503 for a minute', [
        delivered,
        naive,
      ]),
      outageChart('scale-outage-silent.svg', 'Requests that arrive at an API that says nothing for a minute', [
        deliveredSilent,
        naiveSilent,
      ]),
    ],
    bounds: [
      {
        what: 'load of the API while it is down, as a multiple of what is usual',
        found: Math.max(...[delivered, deliveredSilent].map(({ duringOutage }) => duringOutage)),
        atMost: 0.5,
      },
      {
        what: 'the worst second after an outage, as a multiple of what is usual',
        found: Math.max(...ours.map(({ peakAfter }) => peakAfter)),
        atMost: 2,
      },
      {
        what: 'seconds until an API is used as before, once it is back',
        found: Math.max(...ours.map(({ recoveredAfterSeconds }) => recoveredAfterSeconds)),
        atMost: 15,
      },
    ],
  };
};

const outageChart = (file: string, title: string, results: readonly OutageResult[]) => ({
  file,
  svg: lineChart({
    title,
    x: { name: 'seconds', ticks: [0, 30, 60, 90, 120, 150] },
    y: { name: 'requests per second, as a multiple of what is usual', ticks: [0, 2, 4, 6, 8] },
    shaded: { from: outageFromMs / 1_000, to: outageUntilMs / 1_000, name: 'away' },
    series: results.map(({ variant, perSecond, usualPerSecond }) => ({
      name: variant === 'naive' ? 'three attempts at fixed times, all that failed again every ten seconds' : variant,
      points: perSecond.map((count, second) => [second + 0.5, count / usualPerSecond] as const),
    })),
  }),
});

const lanes = async (size: Size): Promise<Finding> => {
  const phoneCalls = size === 'whole' ? [400, 600, 800] : [600];
  const backlog = 2_000;
  const results = await inTurn(
    phoneCalls.flatMap((count) => [
      { phoneCalls: count, backlog: 0, lanes: 'two' as const },
      { phoneCalls: count, backlog, lanes: 'two' as const },
      ...(size === 'whole' && count === 600 ? [{ phoneCalls: count, backlog, lanes: 'one' as const }] : []),
    ]),
    simulateLanes,
  );
  const p99 = ({ turns }: LanesResult) =>
    percentile(
      turns.map(({ tookMs }) => tookMs),
      0.99,
    );
  const delayed = phoneCalls.map((count) => {
    const [alone, with_] = results.filter((result) => result.phoneCalls === count && result.lanes === 'two').map(p99);
    return (with_ ?? Number.NaN) / (alone ?? Number.NaN);
  });
  const six = results.filter(({ phoneCalls: count }) => count === 600);
  return {
    title: 'Live calls and a backlog under one limit',
    text: table(
      [
        'phone calls',
        'messages that are due',
        'lane',
        'p50 of a turn, ms',
        'p90, ms',
        'p99, ms',
        'turns without an answer',
        'delivered in three minutes',
      ],
      results.map((result) => {
        const { turns } = result;
        const tookMs = turns.map((turn) => turn.tookMs);
        return [
          result.phoneCalls,
          result.backlog.toLocaleString('en'),
          result.backlog === 0 ? '–' : result.lanes === 'two' ? '`background`' : 'as if live',
          ...[0.5, 0.9, 0.99].map((share) => milliseconds(percentile(tookMs, share))),
          percent(turns.filter(({ isAnswered }) => !isAnswered).length / turns.length),
          result.delivered.toLocaleString('en'),
        ];
      }),
    ),
    charts: [
      {
        file: 'scale-lanes.svg',
        svg: lineChart({
          title: '600 phone calls under a limit of 1,000 per minute, and 2,000 messages that are due',
          x: { name: 'turns, in percent', ticks: [0, 20, 40, 60, 80, 100] },
          y: {
            name: 'took at most, ms',
            ticks: [50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000],
            scale: 'logarithmic',
          },
          series: [
            { name: 'messages in their lane', of: six[1] },
            { name: 'as if live', of: six[2] },
            { name: 'no messages', of: six[0] },
          ].flatMap(({ name, of }) =>
            of ? [{ name, points: distribution(of.turns.map(({ tookMs }) => tookMs)) }] : [],
          ),
        }),
      },
    ],
    bounds: [
      {
        what: 'p99 of a turn with a backlog in the background, as a multiple of what it is without',
        found: Math.max(...delayed),
        atMost: 1.2,
      },
      {
        what: 'places for the background while a live call waited',
        found: Math.max(...results.filter((result) => result.lanes === 'two').map(({ passed }) => passed)),
        atMost: 0,
      },
      {
        what: 'requests in any sliding minute over the limit, with a backlog',
        found: Math.max(...results.map(({ mostPerMinute }) => mostPerMinute / 1_000)),
        atMost: 1,
      },
    ],
  };
};

const distribution = (values: readonly number[]) =>
  Array.from({ length: 201 }, (_, step) => [step / 2, percentile(values, step / 200)] as const);

const redisAway = async (size: Size): Promise<Finding> => {
  const even = (phoneCalls: number, whenUnavailable: RedisAwayOptions['whenUnavailable']) => ({
    phoneCalls,
    whenUnavailable,
    shareOfFirst: 0.1,
  });
  const uneven = (phoneCalls: number) => ({ ...even(phoneCalls, 'local'), shareOfFirst: 0.4 });
  const results = await inTurn<RedisAwayOptions, Awaited<ReturnType<typeof simulateRedisAway>>>(
    size === 'whole'
      ? [
          even(600, 'refuse'),
          even(300, 'local'),
          even(600, 'local'),
          even(900, 'local'),
          uneven(300),
          uneven(600),
          uneven(900),
        ]
      : [even(600, 'refuse'), even(600, 'local')],
    simulateRedisAway,
  );
  return {
    title: 'Redis away for two minutes',
    text: table(
      [
        'phone calls',
        '`whenUnavailable`',
        'of them in one of ten processes',
        'turns without an answer while away',
        'p99 of the others, ms',
        'without an answer once back',
        'most in a sliding minute',
      ],
      results.map((result) => [
        result.phoneCalls,
        result.whenUnavailable === 'refuse' ? '`refuse`' : '`fallback: local`',
        percent(result.shareOfFirst, 0),
        percent(result.failedShare),
        milliseconds(result.p99Ms),
        percent(result.failedShareAfter),
        result.mostPerMinute.toLocaleString('en'),
      ]),
    ),
    charts: [],
    bounds: [
      {
        what: 'requests in any sliding minute over the limit, with Redis away and phone calls spread evenly',
        found: Math.max(
          ...results
            .filter(({ shareOfFirst }) => shareOfFirst === 0.1)
            .map(({ mostPerMinute }) => mostPerMinute / 1_000),
        ),
        atMost: 1,
      },
      {
        what: 'turns without an answer at 600 of 1,000 per minute, spread evenly, Redis away',
        found: Math.max(
          ...results
            .filter((each) => each.whenUnavailable === 'local' && each.shareOfFirst === 0.1 && each.phoneCalls === 600)
            .map(({ failedShare }) => failedShare),
        ),
        atMost: 0.01,
      },
    ],
  };
};
