/** An answer's text, and no more of it than was agreed: a peer that sends without end is left. */

/** An answer that is larger than what is read of one. */
export class AnswerTooLarge extends Error {
	override readonly name = 'AnswerTooLarge';
}

/** Whoever has sent so much before his time was over sends too much, bytes: no answer that is needed is as long. */
const SLOW_BYTES = 8 * 1024 * 1024;

/**
 * Whoever asked bounds the time: the signal of the request holds for the body too.
 * @throws AnswerTooLarge when there are more than `maxBytes`, unpacked, or more than can be read in the time.
 */
export async function boundedText(response: Response, maxBytes: number): Promise<string> {
	if (!response.body) return '';
	const decoder = new TextDecoder();
	let text = '';
	let bytes = 0;
	try {
		// Leaving the loop early cancels the stream, and with it the download.
		for await (const chunk of response.body) {
			bytes += chunk.byteLength;
			if (bytes > maxBytes) throw new AnswerTooLarge(`the answer is larger than ${maxBytes} bytes`);
			text += decoder.decode(chunk, { stream: true });
		}
	} catch (error) {
		if (error instanceof AnswerTooLarge || bytes < SLOW_BYTES) throw error;
		throw new AnswerTooLarge(`the answer was not whole after ${bytes} bytes: ${String(error)}`);
	}
	return text + decoder.decode();
}
