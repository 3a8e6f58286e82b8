/** Contracts for tests, as the bytes that an EVM runs. */

/** Sends what it is paid to the address in its input: CALL(gas, calldata[0], callvalue, 0, 0, 0, 0). */
const FORWARD = '6000600060006000346000355af1';
export const FORWARDER = `0x${FORWARD}00`;
/** Does the same, and then reverts. */
export const REGRETTER = `0x${FORWARD}60006000fd`;
/** Pays through a `REGRETTER` at this address (hex without 0x), and then itself. */
export const hesitant = (regretter: string): string =>
	`0x6020600060003760006000602060003473${regretter}5af150${FORWARD}00`;
export const REVERTING = '0x60006000fd';
/** Uses up all gas that it is given: JUMPDEST, PUSH1 0, JUMP. */
export const ENDLESS = '0x5b600056';
