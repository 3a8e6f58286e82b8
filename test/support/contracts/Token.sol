// SPDX-License-Identifier: UNLICENSED
pragma solidity ^0.8.0;

/// Tokens as the tests need them; put at the addresses of the real ones, so nothing may depend on a constructor.
contract Token {
    event Transfer(address indexed from, address indexed to, uint256 value);

    mapping(address => uint256) public balanceOf;
    /// Accounts that the issuer has frozen.
    mapping(address => bool) public frozen;
    uint8 public decimals;
    string public symbol;

    function configure(uint8 places, string calldata name) external {
        decimals = places;
        symbol = name;
    }

    function mint(address to, uint256 value) external {
        balanceOf[to] += value;
        emit Transfer(address(0), to, value);
    }

    function freeze(address account, bool isFrozen) external {
        frozen[account] = isFrozen;
    }

    function transfer(address to, uint256 value) external virtual returns (bool) {
        move(to, value);
        return true;
    }

    function move(address to, uint256 value) internal {
        require(!frozen[msg.sender], "frozen");
        require(balanceOf[msg.sender] >= value, "exceeds balance");
        balanceOf[msg.sender] -= value;
        balanceOf[to] += value;
        emit Transfer(msg.sender, to, value);
    }
}

/// Answers nothing, as USDT does on Ethereum.
contract SilentToken {
    event Transfer(address indexed from, address indexed to, uint256 value);

    mapping(address => uint256) public balanceOf;
    uint8 public decimals;
    /// A short one in 32 bytes, as old tokens have it.
    bytes32 public symbol;

    function configureShort(uint8 places, bytes32 name) external {
        decimals = places;
        symbol = name;
    }

    function mint(address to, uint256 value) external {
        balanceOf[to] += value;
        emit Transfer(address(0), to, value);
    }

    function transfer(address to, uint256 value) external {
        require(balanceOf[msg.sender] >= value, "exceeds balance");
        balanceOf[msg.sender] -= value;
        balanceOf[to] += value;
        emit Transfer(msg.sender, to, value);
    }
}

/// Says no instead of reverting.
contract RefusingToken is Token {
    function transfer(address, uint256) external pure override returns (bool) {
        return false;
    }
}

/// Keeps a tenth of what it moves.
contract TakingToken is Token {
    function transfer(address to, uint256 value) external override returns (bool) {
        balanceOf[msg.sender] -= value;
        balanceOf[to] += value - value / 10;
        return true;
    }
}

/// Works for who only asks, and burns all gas in a block.
contract BurningToken is Token {
    function transfer(address to, uint256 value) external override returns (bool) {
        while (tx.gasprice > 0) {}
        move(to, value);
        return true;
    }
}

/// Says that it moved tokens, and moved none; or moved some, and says more.
contract LyingToken is Token {
    function claim(address to, uint256 value) external {
        emit Transfer(msg.sender, to, value);
    }
}

/// Pays many at once, as exchanges do; and undoes it where asked to.
contract Payer {
    function payAll(Token token, address[] calldata to, uint256 value) external {
        for (uint256 i = 0; i < to.length; i++) token.transfer(to[i], value);
    }

    function payAndRegret(Token token, address to, uint256 value) external {
        token.transfer(to, value);
        revert("regret");
    }

    /// The payment is undone, the transaction is not.
    function payAndLetRegret(Token token, address to, uint256 value) external {
        try this.payAndRegret(token, to, value) {} catch {}
    }
}

/// Pays, and writes down so many empty words that nobody reads its receipt.
contract Flooder {
    function pay(Token token, address payable to, uint256 value, uint256 words) external payable {
        if (address(token) == address(0)) to.transfer(value);
        else token.transfer(to, value);
        for (uint256 i = 0; i < words; i++) assembly { log0(0, 0) }
    }
}

/// Two tokens that trade, as a pair or a pool; what is sent to it is whoever's who asks first.
contract Pair {
    address public token0 = address(1);
    address public factory = address(2);

    receive() external payable {}
}

contract Router {
    address public immutable factory = address(2);
    address public immutable WETH = address(3);

    receive() external payable {}
}

/// A wallet that is a contract, as a Safe is: it takes what comes, and answers nothing that it does not know.
contract Wallet {
    fallback() external payable {}
}

/// An account of ERC-4337 that names who made it.
contract Account {
    address public immutable factory = address(2);
    address public immutable entryPoint = address(4);

    receive() external payable {}
}

/// Answers a word whatever it is asked.
contract Talker {
    fallback(bytes calldata) external payable returns (bytes memory) {
        return abi.encode(uint256(1));
    }
}
