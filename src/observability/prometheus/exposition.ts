/** The text format of Prometheus: https://prometheus.io/docs/instrumenting/exposition_formats/ */
export const contentType = 'text/plain; version=0.0.4; charset=utf-8';

export type LabelValues = Readonly<Record<string, string | undefined>>;

export interface Sample {
  /** What a histogram adds to the name of its family. */
  readonly suffix?: string;
  readonly labels?: LabelValues;
  readonly value: number;
}

export interface Family {
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly name: string;
  readonly help: string;
  readonly samples: readonly Sample[];
}

/** Writes families of metrics. One without samples is written too, so that Prometheus knows it from the start. */
export const expose = (families: readonly Family[], prefix: string): string =>
  families
    .flatMap(({ type, name, help, samples }) => [
      `# HELP ${prefix}${name} ${escapeHelp(help)}`,
      `# TYPE ${prefix}${name} ${type}`,
      ...samples.map(({ suffix = '', labels = {}, value }) => `${prefix}${name}${suffix}${labelText(labels)} ${value}`),
      '',
    ])
    .join('\n');

const labelText = (labels: LabelValues): string => {
  const pairs = Object.entries(labels).flatMap(([label, text]) =>
    text === undefined ? [] : [`${label}="${escapeLabel(text)}"`],
  );
  return pairs.length > 0 ? `{${pairs.join(',')}}` : '';
};

const escapeLabel = (text: string): string => escapeHelp(text).replaceAll('"', '\\"');

const escapeHelp = (text: string): string => text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
