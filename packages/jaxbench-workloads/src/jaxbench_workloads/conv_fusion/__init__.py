"""Convolutions fused with what follows them: `conv2d` over images, `conv3d` over volumes."""
