import { fieldsOf, objectsIn } from '../../stores/ports/json.ts';
import type { Label, LabelList } from '../labels.ts';
import type { Words } from './translate.ts';

/**
 * The stages of tickets and deals are ids, which people know by their labels. A stage that isn't in the first pipeline
 * needs its pipeline: https://developers.hubspot.com/docs/methods/pipelines/pipelines_overview (2026-11-27).
 */
export const stageList = (
  object: string,
  { namesOf, paths }: Pick<Words, 'namesOf' | 'paths'>,
  ticketStage: string | undefined,
): LabelList | undefined => {
  const shared = { operation: 'crm.pipelines.list', read: readStages } as const;
  const endpointOf = (type: string) => ({ method: 'GET', path: `${paths.pipelines}/${type}` }) as const;
  if (object === 'Case' && namesOf(object)['Status'] === 'hs_pipeline_stage')
    return {
      ...shared,
      field: 'Status',
      groupField: 'hs_pipeline',
      endpoint: endpointOf('tickets'),
      initial: ticketStage,
      // New in HubSpot's own pipeline.
      fallback: '1',
    };
  if (object === 'Opportunity' && namesOf(object)['StageName'] === 'dealstage')
    return {
      ...shared,
      field: 'StageName',
      groupField: 'pipeline',
      endpoint: endpointOf('deals'),
      initial: undefined,
      fallback: undefined,
    };
  return undefined;
};

const readStages = (json: unknown): readonly Label[] =>
  inOrder(fieldsOf(json)['results']).flatMap(({ id, label, record }) => {
    const group = { id, label };
    return inOrder(record['stages']).map((stage) => ({ id: stage.id, label: stage.label, group }));
  });

/** What has an id and a label, as HubSpot shows it: those of one number are in the order of their labels. */
const inOrder = (list: unknown) =>
  objectsIn(list)
    .flatMap((record) => {
      const { id, label, archived, displayOrder } = record;
      if (typeof id !== 'string' || typeof label !== 'string' || archived === true) return [];
      return [{ id, label, displayOrder: Number(displayOrder), record }];
    })
    .toSorted((one, other) => one.displayOrder - other.displayOrder || one.label.localeCompare(other.label));
