/** In the place of the pages Worker: a payer asks for a refund, and the answer is the desk's word for it. */
import type { Desk } from '../../src/ports/desk.ts';

const BEARER = 'Bearer ';

export const ORDER_PAGE = {
	async show(request: Request, desk: Pick<Desk, 'payerOrder'>): Promise<Response> {
		const id = new URL(request.url).pathname.slice('/o/'.length);
		const token = (request.headers.get('authorization') ?? '').slice(BEARER.length);
		const answer = await desk.payerOrder(id, token, 'refund');
		return new Response(answer.is === 'shown' ? answer.refund : answer.is);
	},
};
