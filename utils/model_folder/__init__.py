"""Reads a folder with a GPT-2, or a model of Llama's shape, in HuggingFace's format: for the reference and my_gpt/.

What one of them refuses of a GPT-2 all refuse, in the same words; utils/javascript says the same of what a page loads.
Only my_gpt/ reads a Llama. The modules go into it too (own_gpt/writing.py), so they need torch, safetensors and
utils.config alone.
"""
