/**
 * A TRC-20 token for the stand-in (contracts/TronToken.sol): as Tron's USDT, its `transfer` returns false although it has
 * transferred, so only receipt and event show the transfer. Unlike Tether's contract, it lets anybody issue tokens.
 */
import { compiled } from './contracts/compiled.ts';

/** The code that stands at its address, hex. */
export const tokenCode = (): string => compiled('TronToken')['Token'] ?? '';
