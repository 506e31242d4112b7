import { expectTypeOf, test } from 'vitest';
import { type CheckReport, type Finding, type Integration, type NotReadyError, type Tenant } from '../../src/index.ts';

declare const integration: Integration;
declare const tenant: Tenant;

test('a check resolves with notes, and rejects with problems and notes', async () => {
  expectTypeOf(await integration.check({ deadlineMs: 10_000 })).toEqualTypeOf<CheckReport>();
  expectTypeOf(await tenant.check()).toEqualTypeOf<CheckReport>();
  expectTypeOf<CheckReport['notes']>().toEqualTypeOf<readonly Finding[]>();
  expectTypeOf<Finding>().toEqualTypeOf<{ readonly part: string; readonly problem: string; readonly help: string }>();
  expectTypeOf<NotReadyError['code']>().toEqualTypeOf<'not_ready'>();
  expectTypeOf<NotReadyError['problems']>().toEqualTypeOf<readonly Finding[]>();
  expectTypeOf<NotReadyError['notes']>().toEqualTypeOf<readonly Finding[]>();
  expectTypeOf<NotReadyError>().toExtend<Error>();
  void integration.check({ signal: AbortSignal.timeout(1_000) });
  // @ts-expect-error a number
  void integration.check({ deadlineMs: '10 s' });
  // @ts-expect-error misspelt
  void integration.check({ deadline: 10_000 });
});
