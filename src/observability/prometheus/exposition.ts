/** The text format of Prometheus: https://prometheus.io/docs/instrumenting/exposition_formats/ */
export const contentType = 'text/plain; version=0.0.4; charset=utf-8';

export type LabelValues = Readonly<Record<string, string | undefined>>;

export interface Sample {
  readonly labels: LabelValues;
  readonly value: number;
}

export interface HistogramSample {
  readonly labels: LabelValues;
  readonly count: number;
  readonly sum: number;
  /** Each count includes those before. */
  readonly buckets: readonly { readonly le: number; readonly count: number }[];
}

export type Family =
  | {
      readonly type: 'counter' | 'gauge';
      readonly name: string;
      readonly help: string;
      readonly samples: readonly Sample[];
    }
  | {
      readonly type: 'histogram';
      readonly name: string;
      readonly help: string;
      readonly samples: readonly HistogramSample[];
    };

/** Writes families of metrics; one without samples too, so that it is known before something happens. */
export const expose = (families: readonly Family[]): string =>
  families
    .flatMap((family) => [
      `# HELP ${family.name} ${escapeHelp(family.help)}`,
      `# TYPE ${family.name} ${family.type}`,
      ...(family.type === 'histogram'
        ? family.samples.flatMap((sample) => histogramLines(family.name, sample))
        : family.samples.map(({ labels, value }) => line(family.name, labels, value))),
      '',
    ])
    .join('\n');

const histogramLines = (name: string, { labels, count, sum, buckets }: HistogramSample): string[] => [
  ...buckets.map((bucket) => line(`${name}_bucket`, { ...labels, le: String(bucket.le) }, bucket.count)),
  line(`${name}_bucket`, { ...labels, le: '+Inf' }, count),
  line(`${name}_sum`, labels, sum),
  line(`${name}_count`, labels, count),
];

const line = (name: string, labels: LabelValues, value: number): string => {
  const pairs = Object.entries(labels).flatMap(([label, text]) =>
    text === undefined ? [] : [`${label}="${escapeLabel(text)}"`],
  );
  return `${name}${pairs.length > 0 ? `{${pairs.join(',')}}` : ''} ${value}`;
};

const escapeLabel = (text: string): string =>
  text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');

const escapeHelp = (text: string): string => text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
