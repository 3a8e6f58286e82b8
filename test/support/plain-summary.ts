/** The run's last line in plain words, for readers who do not know vitest: `N passed, N failed`. */
import type { Reporter, TestModule } from 'vitest/node';

export class PlainSummary implements Reporter {
	onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
		const states = modules.flatMap((module) => [...module.children.allTests()].map((test) => test.result().state));
		const count = (state: string) => states.filter((other) => other === state).length;
		const broken = modules.filter((module) => module.state() === 'failed' && module.errors().length > 0).length;
		const failed = count('failed') + broken + unhandledErrors.length;
		const skipped = count('skipped');
		// After the default reporter's own lines, which are written in the same turn.
		setImmediate(() =>
			console.log(`${count('passed')} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`),
		);
	}
}
