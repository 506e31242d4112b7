import type { Reporter, TestModule } from 'vitest/node';

/** Ends a run with `N passed, N failed`, alone on a line, for readers that do not know vitest's own summary. */
export default class ClosingLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const states = modules.flatMap((module) => [...module.children.allTests()].map((test) => test.result().state));
    const count = (state: string) => states.filter((each) => each === state).length;
    const brokenFiles = modules.filter((module) => module.errors().length > 0).length;
    console.log(`\n${count('passed')} passed, ${count('failed') + brokenFiles} failed`);
  }
}
