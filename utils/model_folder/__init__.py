"""Reads a folder with a GPT-2 in HuggingFace's format: for the reference model and for my_gpt/.

What one of them refuses all refuse, in the same words; utils/javascript says the same of what a page loads. The modules
go into my_gpt/ too (own_gpt/writing.py), so they need torch, safetensors and utils.config alone.
"""
