/** Fields that calls about webhooks share. */
import * as z from 'zod/mini';
import { optional } from '../../http/optional.ts';

export const endpointField = () =>
	optional(z.string().check(z.maxLength(64))).check(z.describe('The id of one of your endpoints; absent: all.'));
