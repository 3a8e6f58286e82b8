/**
 * Spans of our own in the traces of all Workers: they say where a call waits, beside what the platform records of each
 * binding by itself (book: deploy, "Traces"). The runtime ends a span when what `work` returns is settled.
 */
import { tracing } from 'cloudflare:workers';

export type SpanName = 'gate' | 'quote' | 'poll' | 'judge' | 'sign' | 'command' | 'page';

/** `about`: which one, where that says something. To ask whether the call is traced costs a tenth of what a span costs. */
export function inSpan<T>(name: SpanName, work: () => T, about?: string): T {
	if (!tracing.getActiveSpan()?.isTraced) return work();
	return tracing.enterSpan(name, (span) => {
		if (about !== undefined) span.setAttribute('about', about);
		return work();
	});
}
