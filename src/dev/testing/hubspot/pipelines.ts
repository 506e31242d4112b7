import { Refused } from '../refused.ts';

/** A pipeline of tickets or deals. */
export interface FakeHubSpotPipeline {
  readonly id: string;
  readonly label: string;
  readonly stages: readonly { readonly id: string; readonly label: string }[];
}

/** The pipelines of an account, by `tickets` and `deals`; the first one is the default. */
export type FakeHubSpotPipelines = Readonly<Record<'tickets' | 'deals', readonly FakeHubSpotPipeline[]>>;

const stage = (id: string, label: string) => ({ id, label });

/** The pipelines that HubSpot makes: https://knowledge.hubspot.com/object-settings/set-up-and-customize-pipelines. */
export const usualPipelines: FakeHubSpotPipelines = {
  tickets: [
    {
      id: '0',
      label: 'Support Pipeline',
      stages: [stage('1', 'New'), stage('2', 'Waiting on contact'), stage('3', 'Waiting on us'), stage('4', 'Closed')],
    },
  ],
  deals: [
    {
      id: 'default',
      label: 'Sales Pipeline',
      stages: [
        stage('appointmentscheduled', 'Appointment Scheduled'),
        stage('qualifiedtobuy', 'Qualified To Buy'),
        stage('presentationscheduled', 'Presentation Scheduled'),
        stage('decisionmakerboughtin', 'Decision Maker Bought-In'),
        stage('contractsent', 'Contract Sent'),
        stage('closedwon', 'Closed Won'),
        stage('closedlost', 'Closed Lost'),
      ],
    },
  ],
};

const propertiesOf: Readonly<Record<string, { readonly stage: string; readonly pipeline: string }>> = {
  tickets: { stage: 'hs_pipeline_stage', pipeline: 'hs_pipeline' },
  deals: { stage: 'dealstage', pipeline: 'pipeline' },
};

/** Returns the answer of the endpoint of pipelines. Throws `Refused` for an object that has none. */
export const pipelinesAnswer = (pipelines: FakeHubSpotPipelines, type: string): object => {
  if (type !== 'tickets' && type !== 'deals')
    throw new Refused(400, 'VALIDATION_ERROR', `Unable to infer object type from: ${type}`);
  const at = new Date(0).toISOString();
  const known = { archived: false, createdAt: at, updatedAt: at };
  const results = pipelines[type].map(({ id, label, stages }, displayOrder) => ({
    ...known,
    id,
    label,
    displayOrder,
    stages: stages.map((one, order) => ({
      ...known,
      ...one,
      displayOrder: order,
      metadata:
        type === 'tickets' ? { ticketState: /closed/i.test(one.label) ? 'CLOSED' : 'OPEN' } : { probability: '0.5' },
      writePermissions: 'CRM_PERMISSIONS_ENFORCEMENT',
    })),
  }));
  return { results };
};

/** A stage must be one of the record's pipeline, which is the first where none is said. Gives the id of a wrong one. */
export const wrongStage = (
  pipelines: FakeHubSpotPipelines,
  type: string,
  values: Readonly<Record<string, string | null>>,
): { readonly property: string; readonly value: string } | undefined => {
  const names = propertiesOf[type];
  if (!names || (type !== 'tickets' && type !== 'deals')) return undefined;
  const value = values[names.stage];
  if (!value) return undefined;
  const [usual] = pipelines[type];
  const pipeline = pipelines[type].find(({ id }) => id === (values[names.pipeline] ?? usual?.id));
  return pipeline?.stages.some(({ id }) => id === value) ? undefined : { property: names.stage, value };
};
