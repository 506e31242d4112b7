import { InvalidArgumentError } from '../core/errors.ts';
import type { Endpoint, HttpClient, RequestOptions } from '../http/operation.ts';
import type { AnyFields, AnyRecord } from './object-table.ts';
import { type Comparing, type Condition, mapComparisons } from './where.ts';

/** A value that the CRM keeps as an id, such as a stage of a pipeline. */
export interface Label {
  readonly id: string;
  /** The name that people use. */
  readonly label: string;
  /** The list that it's in, such as the pipeline. The first list is the usual one. */
  readonly group: { readonly id: string; readonly label: string };
}

/** The field of an object whose values are ids, and where their labels are read. */
export interface LabelList {
  readonly field: string;
  /** The field that names the group. */
  readonly groupField: string;
  readonly operation: string;
  readonly endpoint: Endpoint;
  /** The labels in an answer, in the order of the CRM. */
  readonly read: (json: unknown) => readonly Label[];
  /** The value of a new record that has none; `undefined`: the first of its group. */
  readonly initial: string | undefined;
  /** The value of a new record while the list can't be read. `undefined`: the record's own. */
  readonly fallback: string | undefined;
}

/** Turns labels into ids and back. The lists are read once for all calls, and again after ten minutes. */
export interface RecordLabels {
  /** Reads the list ahead, where one of the fields needs it; without fields, where the object has one. */
  readonly prepare: (object: string, fields?: readonly string[]) => void;
  /** The same fields with the id of a label. Throws `InvalidArgumentError` for a label that isn't there, or in several groups. */
  readonly toIds: (object: string, fields: AnyFields, isNew: boolean) => Promise<AnyFields>;
  /** A condition on labels as one on ids. */
  readonly inCondition: (object: string, where: Condition | undefined) => Promise<Condition | undefined>;
  /** The same records with labels. An id without one is `null`: it can't be said. */
  readonly toLabels: <Row extends AnyRecord>(object: string, rows: readonly Row[]) => Promise<readonly Row[]>;
}

const keptMs = 10 * 60_000;
/** A list that couldn't be read, or that lacks an id, isn't read again before. */
const notAgainMs = 60_000;
/** A caller doesn't wait longer for a label. */
const deadlineMs = 2_000;

export const createLabels = (
  http: Pick<HttpClient, 'request'>,
  listOf: (object: string) => LabelList | undefined,
): RecordLabels => {
  const lists = new Map<string, { readonly at: number; readonly labels: Promise<readonly Label[] | undefined> }>();

  const read = async (
    { operation, endpoint, read: readLabels }: LabelList,
    before: Promise<readonly Label[] | undefined>,
  ) => {
    const call: RequestOptions = { deadline: deadlineMs };
    return http
      .request({ operation, ...endpoint, effect: 'read', returns: (json) => readLabels(json) }, call)
      .catch(() => before);
  };

  /** The known list, read again when it's older. */
  const labelsOf = (object: string, list: LabelList, olderThanMs = keptMs): Promise<readonly Label[] | undefined> => {
    const known = lists.get(object);
    if (known && performance.now() - known.at < olderThanMs) return known.labels;
    const labels = read(list, known?.labels ?? Promise.resolve(undefined));
    lists.set(object, { at: performance.now(), labels });
    // What failed is tried again sooner.
    void labels.then((found) => {
      if (found === undefined) lists.set(object, { at: performance.now() - keptMs + notAgainMs, labels });
    });
    return labels;
  };

  /** The list, read again where it lacks something. */
  const completeFor = async (object: string, list: LabelList, isComplete: (labels: readonly Label[]) => boolean) => {
    const labels = await labelsOf(object, list);
    return labels === undefined || isComplete(labels) ? labels : labelsOf(object, list, notAgainMs);
  };

  return {
    prepare: (object, fields) => {
      const list = listOf(object);
      if (list && (fields?.includes(list.field) ?? true)) void labelsOf(object, list);
    },
    toIds: async (object, fields, isNew) => {
      const list = listOf(object);
      const value: unknown = list && Object(fields)[list.field];
      // What has no field at all is refused by its check.
      if (!list || Object.keys(Object(fields)).length === 0) return fields;
      if ((value === undefined && !isNew) || value === null || value === '') return fields;
      const wanted = value ?? list.initial;
      if (wanted !== undefined && typeof wanted !== 'string') return fields;
      const inGroup = groupOf(fields[list.groupField]);
      const labels = await completeFor(object, list, (all) => wanted === undefined || matching(all, wanted).length > 0);
      if (labels === undefined) return withoutUnknown({ ...fields, [list.field]: wanted ?? list.fallback });
      const found = wanted === undefined ? labels : matching(labels, wanted);
      const [first, ...others] = found.filter(inGroup);
      if (!first) throw noSuchLabel(list.field, labels);
      if (!isNew && others.some(({ id }) => id !== first.id))
        throw new InvalidArgumentError(list.field, `is in several lists: give ${list.groupField} too`);
      const isUsual = first.group.id === labels[0]?.group.id;
      const group = isUsual && fields[list.groupField] === undefined ? {} : { [list.groupField]: first.group.id };
      return { ...fields, [list.field]: first.id, ...group };
    },
    inCondition: async (object, where) => {
      const list = listOf(object);
      if (!list || !where || !JSON.stringify(where).includes(`"${list.field}"`)) return where;
      const labels = await labelsOf(object, list);
      return labels ? mapComparisons(where, (one) => idsFor(one, list.field, labels)) : where;
    },
    toLabels: async (object, rows) => {
      const list = listOf(object);
      const ids = list ? rows.flatMap((row) => (typeof row[list.field] === 'string' ? [row[list.field]] : [])) : [];
      if (!list || ids.length === 0) return rows;
      const labels = await completeFor(object, list, (all) => ids.every((id) => all.some((label) => label.id === id)));
      const byId = new Map(labels?.map(({ id, label }) => [id, label]));
      return rows.map((row) =>
        typeof row[list.field] === 'string' ? { ...row, [list.field]: byId.get(String(row[list.field])) ?? null } : row,
      );
    },
  };
};

const withoutUnknown = (fields: AnyFields): AnyFields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

/** Finds labels by id, else by label, else by label in any case. */
const matching = (labels: readonly Label[], wanted: string): readonly Label[] => {
  const small = wanted.trim().toLowerCase();
  const ways: readonly ((label: Label) => boolean)[] = [
    ({ id }) => id === wanted,
    ({ label }) => label === wanted,
    ({ label }) => label.trim().toLowerCase() === small,
  ];
  return ways.map((isMeant) => labels.filter(isMeant)).find(({ length }) => length > 0) ?? [];
};

const groupOf =
  (group: unknown) =>
  ({ group: { id, label } }: Label): boolean =>
    group === undefined || group === null || id === group || label === group;

const noSuchLabel = (field: string, labels: readonly Label[]) => {
  const names = [...new Set(labels.map(({ label }) => label))].slice(0, 12).join(', ');
  return new InvalidArgumentError(field, `must be one of the account's: ${names}`);
};

const idsFor = (where: Comparing, field: string, labels: readonly Label[]): Condition => {
  const { operator } = where;
  if (where.field !== field || where.value === null) return where;
  if (operator !== '=' && operator !== '!=' && operator !== 'in' && operator !== 'not in') return where;
  const values = Array.isArray(where.value) ? where.value : [where.value];
  const ids = values.flatMap((value) => {
    const found = typeof value === 'string' ? matching(labels, value).map(({ id }) => id) : [];
    return found.length > 0 ? found : [value];
  });
  return { field, operator: operator === '=' || operator === 'in' ? 'in' : 'not in', value: ids };
};
